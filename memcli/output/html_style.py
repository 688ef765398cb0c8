"""The one style sheet of exported pages: a phone and a wide window, light and dark, Chinese, Japanese and Korean, paper."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--page:#fbfbfa;--card:#fff;--ink:#1d1f21;--soft:#5f666d;--line:#dcdfe2;--code:#f2f3f4;
--link:#0b5cad;--user:#0f7a4d;--assistant:#2457b8;--tool:#8a5a00;--system:#7b3aa0;--other:#5f666d;--bad:#b3261e;--badbg:#fdecea}
@media (prefers-color-scheme:dark){:root{--page:#141619;--card:#1c1f23;--ink:#e4e6e8;--soft:#a0a8b0;--line:#343a40;
--code:#24282d;--link:#7db4ff;--user:#5fce9a;--assistant:#8ab4ff;--tool:#e2b04a;--system:#d0a3ec;--other:#a0a8b0;
--bad:#ff9d94;--badbg:#3a1f1d}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;padding:1rem;max-width:54rem;background:var(--page);color:var(--ink);
font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","PingFang SC","Hiragino Sans GB",
"Microsoft YaHei","Noto Sans CJK SC","Source Han Sans SC","WenQuanYi Micro Hei","WenQuanYi Zen Hei",sans-serif}
:lang(zh){font-family:system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC","Hiragino Sans GB","Microsoft YaHei",
"Noto Sans CJK SC","Source Han Sans SC","WenQuanYi Micro Hei","WenQuanYi Zen Hei",sans-serif}
:lang(ja){font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Hiragino Sans","Yu Gothic UI",Meiryo,"Noto Sans CJK JP",
"Source Han Sans JP",sans-serif}
:lang(ko){font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Apple SD Gothic Neo","Malgun Gothic","Noto Sans CJK KR",
"Source Han Sans KR",sans-serif}
a{color:var(--link)}
h1{font-size:1.5rem;line-height:1.3;margin:.5rem 0 1rem;overflow-wrap:anywhere}
.nav{display:flex;gap:1rem;flex-wrap:wrap;margin:0 0 .5rem}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0 0 1rem;font-size:.9rem}
.facts dt{color:var(--soft)}
.facts dd{margin:0;overflow-wrap:anywhere;min-width:0}
.note{font-size:.9rem;color:var(--soft);border-left:.2rem solid var(--line);padding-left:.75rem}
article{background:var(--card);border:1px solid var(--line);border-left:.25rem solid var(--other);border-radius:.4rem;
margin:.75rem 0;padding:.6rem .9rem;content-visibility:auto;contain-intrinsic-size:auto 9rem}
article:target{outline:.15rem solid var(--link)}
article.user{border-left-color:var(--user)}article.assistant{border-left-color:var(--assistant)}
article.tool{border-left-color:var(--tool)}article.system{border-left-color:var(--system)}
article.bad{border-color:var(--bad);background:var(--badbg)}
.head{display:flex;flex-wrap:wrap;gap:.1rem .7rem;align-items:baseline;font-size:.85rem;color:var(--soft);
overflow-wrap:anywhere}
.head a{color:var(--soft);text-decoration:none}.head a:hover{text-decoration:underline}
.head b{font-size:.95rem;color:var(--other)}
.user .head b{color:var(--user)}.assistant .head b{color:var(--assistant)}.tool .head b{color:var(--tool)}
.system .head b{color:var(--system)}
.flaw,.bad p{color:var(--bad)}
.bad p{margin:.2rem 0}
.text{white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4;margin:.3rem 0;min-width:0}
.text code,.mono,.key{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",
"PingFang SC","Microsoft YaHei","Noto Sans Mono CJK SC","WenQuanYi Zen Hei Mono",monospace;font-size:.875em;line-height:1.5}
.mono{background:var(--code);border-radius:.3rem;padding:.5rem .7rem}
details{margin:.35rem 0}
summary{cursor:pointer;color:var(--soft);font-size:.9rem;padding:.2rem 0;overflow-wrap:anywhere}
summary b{color:var(--ink);font-weight:600}
summary i{font-style:normal;color:var(--ink);opacity:.8}
.list{list-style:none;margin:0;padding:0}
.list li{background:var(--card);border:1px solid var(--line);border-radius:.4rem;margin:.6rem 0;padding:.6rem .9rem}
.list .title{font-size:1.05rem;font-weight:600;overflow-wrap:anywhere}
.about{display:flex;flex-wrap:wrap;align-items:baseline;gap:.1rem .9rem;font-size:.85rem;color:var(--soft)}
.about>*{overflow-wrap:anywhere;min-width:0}
.preview{margin:.25rem 0 0;font-size:.9rem;color:var(--soft);overflow:hidden;display:-webkit-box;-webkit-box-orient:vertical;
-webkit-line-clamp:2;overflow-wrap:anywhere}
@media (max-width:30rem){body{padding:.6rem}article,.list li{padding:.5rem .6rem}.facts{gap:.1rem .7rem;
font-size:.85rem}}
@media print{:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--code:#f4f4f4;--user:#0f7a4d;
--assistant:#2457b8;--tool:#8a5a00;--system:#7b3aa0;--other:#444;--bad:#b3261e;--badbg:#fff}
body{max-width:none;padding:0;font-size:10.5pt}.nav{display:none}article{content-visibility:visible;border-radius:0}
.head{break-after:avoid}details::details-content{content-visibility:visible;block-size:auto}}
"""
