"""Write what follows from the app: man pages, completion scripts, the command tables of the READMEs, docs/damage.md.

    python scripts/generate.py            write them
    python scripts/generate.py --check    compare, and end with 1 when one is stale

help2man, click-man and argparse-manpage do not work with this Typer (docs/decisions/0003-generated-files.md).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from memcli import __version__
from memcli.registry import COMMANDS
from memcli.root import app, load

ROOT = Path(__file__).resolve().parent.parent
DATE = "2026-11-30"
"""Fixed, so that the pages change only when the commands do; set by hand with the version."""
EXITS = (
    ("0", "Done; clean; matched; nothing to do."),
    ("1", "A negative answer: no match, damage found or left."),
    ("2", "Usage: unknown option, unknown or ambiguous session, bad expression."),
    ("3", "Could not do it: I/O, permission, no space. Old content is untouched."),
    ("4", "Refused for safety: the file is in use or changed under memcli."),
    ("70", "A bug in memcli."),
    ("130", "Interrupted; nothing half-written."),
)


def commands() -> Iterator[tuple[str, Any, Any]]:
    """(full name, Typer command, context) of the root, of every command, group and subcommand."""
    root = get_command(app)
    top = typer.Context(root, info_name="memcli", **root.context_settings)
    yield "memcli", root, top
    for name in dict.fromkeys(full.partition(" ")[0] for full in COMMANDS):
        command = load(name)
        context = typer.Context(command, info_name=name, parent=top)
        yield f"memcli {name}", command, context
        for below, sub in getattr(command, "commands", {}).items():
            yield f"memcli {name} {below}", sub, typer.Context(sub, info_name=below, parent=context)


def roff(text: str) -> str:
    """`text` with what roff would take as a command made literal."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def page(name: str, command: Any, context: Any) -> str:
    """The man page of one command."""
    title = name.replace(" ", "-")
    paragraphs = [" ".join(part.split()) for part in (command.help or "").split("\n\n")]
    summary = paragraphs[0].rstrip(".")
    lines = [
        f'.TH "{title.upper()}" "1" "{DATE}" "memcli {__version__}" "memcli"',
        ".SH NAME",
        f"{roff(title)} \\- {roff(summary[0].lower() + summary[1:])}",
        ".SH SYNOPSIS",
        f".B {roff(name)}",
        roff(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
    ]
    for number, paragraph in enumerate(paragraphs):
        lines += [".PP"] * bool(number) + [roff(paragraph)]
    parameters = [p for p in command.get_params(context) if not getattr(p, "hidden", False)]
    arguments = [p for p in parameters if p.param_type_name == "argument"]
    for heading, group in (("ARGUMENTS", arguments), ("OPTIONS", [p for p in parameters if p not in arguments])):
        if group:
            lines.append(f".SH {heading}")
        for parameter in group:
            record = parameter.get_help_record(context)
            label, text = record or (parameter.metavar or parameter.name, parameter.help or "")
            lines += [".TP", f".B {roff(' '.join(label.split()))}", roff(" ".join(text.split()))]
    below = getattr(command, "commands", {})
    if below:
        lines.append(".SH COMMANDS")
        for sub, stub in below.items():
            lines += [".TP", f".B {roff(sub)}", roff(stub.get_short_help_str(200))]
    lines.append(".SH EXIT STATUS")
    for code, meaning in EXITS:
        lines += [".TP", f".B {code}", roff(meaning)]
    if name == "memcli":
        lines += [".SH ENVIRONMENT", *_environment()]
    lines += [".SH SEE ALSO", ",\n".join(f".BR {roff(other)} (1)" for other in see_also(name))]
    return "\n".join(lines).replace(",\n.BR", " ,\n.BR") + "\n"


def _environment() -> list[str]:
    meanings = (
        ("MEMCLI_WORKSPACE", "Workspaces to use when no -W is given, separated by colons."),
        ("MEMCLI_STATE_DIR", "Where memcli keeps its own state; default: the platform's state folder."),
        ("MEMCLI_CACHE_DIR", "Where memcli keeps what it can compute again."),
        (
            "MEMCLI_CONFIG",
            "The configuration file; default: memcli/config.toml in the platform's configuration folder.",
        ),
        ("MEMCLI_DEBUG", "Set to 1 to see a traceback with a failure."),
        ("NO_COLOR", "Set to anything to have no colour."),
    )
    return [line for name, text in meanings for line in (".TP", f".B {name}", roff(text))]


def see_also(name: str) -> list[str]:
    """The pages that a page points to: the root to all, each other to the root and its own kin."""
    every = [full.replace(" ", "-") for full, _, _ in commands()]
    me = name.replace(" ", "-")
    if me == "memcli":
        return every[1:]
    kin = [other for other in every if other != me and (other.startswith(me + "-") or me.startswith(other))]
    return list(dict.fromkeys(["memcli", *kin]))


def completion(shell: str) -> str:
    """The completion script of a shell, made usable as an installed file."""
    environment = {**os.environ, "_MEMCLI_COMPLETE": f"source_{shell}"}
    run = [sys.executable, "-c", "from memcli.cli import main; main()"]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    script = done.stdout.strip() + "\n"
    if shell == "zsh":
        # An autoloaded file must begin with #compdef and call its function; Typer's only registers it, so that the
        # first TAB in each shell would give nothing.
        head, _, _ = script.rpartition("compdef _memcli_completion memcli")
        script = head + (
            "if [[ $funcstack[1] == _memcli ]]; then\n"
            '  _memcli_completion "$@"\n'
            "else\n"
            "  compdef _memcli_completion memcli\n"
            "fi\n"
        )
    if shell == "bash":
        script = bash_with_colons(script)
    return script


def bash_with_colons(script: str) -> str:
    """Make session keys such as desktop:main complete in bash, which breaks words at colons (COMP_WORDBREAKS).

    The words are joined again before memcli is asked, and what stands before the last colon is taken off its answers.
    """
    return BASH


BASH = r"""_memcli_completion() {
    # bash breaks words at : and = too; put together what no blank parts, then answer with what follows the last break.
    local rest="${COMP_LINE:0:COMP_POINT}" word words=() i prefix IFS=$'\n'
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if ((i == 0)) || [[ "$rest" == [[:space:]]* ]]; then
            words+=("")
        fi
        rest="${rest#"${rest%%[![:space:]]*}"}"
        [[ "$rest" == "$word"* ]] || word="$rest"
        rest="${rest#"$word"}"
        words[${#words[@]}-1]+="$word"
    done
    word="${words[${#words[@]}-1]}"
    COMPREPLY=($(env COMP_WORDS="${words[*]}" COMP_CWORD="$((${#words[@]} - 1))" _MEMCLI_COMPLETE=complete_bash "$1"))
    if [[ "$word" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
        prefix="${word%"${word##*:}"}"
        for i in "${!COMPREPLY[@]}"; do
            COMPREPLY[i]="${COMPREPLY[i]#"$prefix"}"
        done
    fi
    if ((${#COMPREPLY[@]} == 0)); then
        compopt -o default 2>/dev/null
    fi
    return 0
}

complete -o nosort -F _memcli_completion memcli 2>/dev/null || complete -F _memcli_completion memcli
"""


def command_table(chinese: bool) -> str:
    """The table of commands for a README."""
    words = CHINESE if chinese else {}
    head = "| 命令 | 做什么 |\n|---|---|" if chinese else "| command | what it does |\n|---|---|"
    rows = []
    for full, command, _ in commands():
        if full == "memcli" or getattr(command, "commands", None):
            continue
        line = command.get_short_help_str(200)
        rows.append(f"| `{full}` | {words.get(full, line)} |")
    return "\n".join([head, *rows])


CHINESE = {
    "memcli compact": "把旧的行做成代理会读取的摘要,并把这些行收进归档。",
    "memcli demo": "写一个带损坏的小工作区,并检查它。",
    "memcli sessions ls": "列出会话,最新的在前;损坏的文件也有一行。",
    "memcli sessions show": "查看一个会话:头部、计数、缺口,以及代理自己会加载什么。",
    "memcli sessions diff": "比较同一聊天的两个副本:两边都有的、只有一边有的、同一行的两个版本。",
    "memcli sessions merge": "给出计划,让 A 得到只有 B 有的每一行;--apply 执行,B 不动。",
    "memcli sessions rm": "删除会话及代理为它保存的旁文件;undo 全部恢复。",
    "memcli sessions export": "把会话导出为 Markdown、单个 HTML 页面或 JSON;--redact 遮盖密钥和个人信息。",
    "memcli tail": "显示会话的最后几条记录;-f 持续跟随。",
    "memcli grep": "在会话中查找文本,不论磁盘上如何转义。",
    "memcli doctor": "总览整个工作区,或查明一段对话去了哪里;给出有用的命令。",
    "memcli verify": "按每一种损坏检查每个文件;什么都不改动。",
    "memcli repair": "给出修复计划;--apply 执行,先备份旧内容,可撤销。",
    "memcli undo": "撤销一次操作,逐字节还原;撤销本身也可撤销。",
    "memcli memory show": "按代理提示词得到的样子显示每一层记忆,现在的或以前某时的。",
    "memcli log": "列出记忆的提交,最新的在前:何时、谁、改了什么。",
    "memcli diff": "显示记忆在两个状态之间改了什么。",
    "memcli blame": "显示记忆文件的每一行来自哪个提交。",
    "memcli dream": "把上次之后说过的话提炼进长期记忆,只做一次。",
    "memcli users ls": "列出代理为哪些用户保存了内容,按其文件夹的名字。",
    "memcli users hash": "显示代理用来保存某个用户内容的文件夹名。",
    "memcli revert": "撤销某个提交对记忆的改动;之后的 Dream 和手工修改保留。",
    "memcli lint": "检查记忆文件:重复、回声、占位文字、密钥、大小、版本;--fix 提出修改建议。",
    "memcli proposals ls": "列出等待决定的记忆修改建议。",
    "memcli proposals show": "显示一条建议:每一项及其来源,或每处修改的差异。",
    "memcli proposals approve": "把建议或其中一部分写入记忆;其余仍待决定。",
    "memcli proposals reject": "搁置建议或其中一部分,并记下原因;记忆不动。",
    "memcli locks ls": "显示谁持有哪个锁:活着、陈旧还是未知,以及谁在等待。",
    "memcli locks clear": "删除持有者已不在的锁文件;undo 可以恢复。",
    "memcli history show": "显示日志(history.jsonl)的条目,也就是 Dream 读取的内容;--pending 只显示未读的。",
    "memcli history append": "像代理那样向日志追加一条;编号绝不重复也不跳过,undo 只取出这一条。",
    "memcli history check": "按每一种损坏检查日志及其游标;什么都不改动。",
    "memcli history cursor": "显示日志的计数器和 Dream 读到的位置;--set 设置该位置。",
    "memcli state": "显示 memcli 自己保存了什么、在哪里、多大;也可删除。",
    "memcli seal": "记录每一行的哈希,以后 verify 能说出改动了什么。",
}


def quick_flags() -> str:
    """The options of every command as data, for command lines that need no Typer."""
    lines = [
        '"""The options of every command, written by scripts/generate.py for quick.py; do not edit."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Any",
        "",
        "Options = dict[str, tuple[str, str, Any]]",
        "",
    ]
    for full, command, context in commands():
        name = full.partition(" ")[2]
        if not name:
            lines += ["GLOBALS: Options = {", *_flag_lines(command, context, "    "), "}", ""]
            lines.append("COMMANDS: dict[str, tuple[str, Options, tuple[tuple[str, bool], ...]]] = {")
        elif name in COMMANDS:
            lines += [f'    "{name}": (', f'        "{COMMANDS[name][0]}",', "        {"]
            lines += _flag_lines(command, context, "            ")
            positional = tuple(
                (p.name, p.nargs == -1) for p in command.get_params(context) if p.param_type_name == "argument"
            )
            lines += ["        },", f"        {positional!r},".replace("'", '"'), "    ),"]
    return "\n".join([*lines, "}"]) + "\n"


def _flag_lines(command: Any, context: Any, indent: str) -> list[str]:
    lines = []
    for parameter in command.get_params(context):
        if parameter.param_type_name == "argument" or parameter.name in ("help", "version"):
            continue
        kind, detail = _kind(parameter)
        for option in parameter.opts:
            lines.append(f"{indent}{(option, parameter.name, kind, detail)!r},")
    return [line.replace("'", '"').replace('("', '"', 1).replace('", "', '": ("', 1) for line in lines]


def _kind(parameter: Any) -> tuple[str, Any]:
    if parameter.is_flag:
        return "flag", None
    if parameter.multiple:
        return "many", None
    choices = getattr(parameter.type, "choices", None)
    if choices is not None:
        return "choice", tuple(getattr(choice, "value", choice) for choice in choices)
    if hasattr(parameter.type, "min"):
        return "number", parameter.type.min
    return "text", None


def replaced(path: Path, name: str, content: str) -> str:
    """The text of `path` with what stands between the markers of `name` replaced."""
    begin, end = f"<!-- generated:{name} -->", f"<!-- /generated:{name} -->"
    text = path.read_text(encoding="utf-8")
    before, marker, rest = text.partition(begin)
    _, closing, after = rest.partition(end)
    if not (marker and closing):
        raise SystemExit(f"{path.name} has no markers for {name}")
    return f"{before}{begin}\n{content}\n{end}{after}"


def outputs() -> dict[Path, str]:
    """Every generated file with its content."""
    made = {ROOT / "man" / f"{name.replace(' ', '-')}.1": page(name, c, x) for name, c, x in commands()}
    for shell, name in (("bash", "memcli.bash"), ("zsh", "_memcli"), ("fish", "memcli.fish")):
        made[ROOT / "completions" / name] = completion(shell)
    made[ROOT / "memcli" / "quick_flags.py"] = quick_flags()
    sys.path.insert(0, str(ROOT / "scripts"))  # for whoever loads this file from elsewhere
    from damage_page import page as damage

    made[ROOT / "docs" / "damage.md"] = damage()
    for name, chinese in (("README.md", False), ("README.zh-CN.md", True)):
        made[ROOT / name] = replaced(ROOT / name, "commands", command_table(chinese))
    return made


def main() -> int:
    """Write or compare; the exit code."""
    check = "--check" in sys.argv[1:]
    made = outputs()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    strangers = {*ROOT.glob("man/*"), *ROOT.glob("completions/*")} - set(made)
    for path in sorted({*stale, *strangers}):
        print(f"{'stale' if check else 'wrote' if path in made else 'removed'}: {path.relative_to(ROOT)}")
        if check:
            continue
        if path in made:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[path], encoding="utf-8")
        else:
            path.unlink()
    return 1 if check and (stale or strangers) else 0


if __name__ == "__main__":
    sys.exit(main())
