"""`sessions export`: golden documents of every sample, then where they go, what is masked, and what is refused."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support import golden
from support.cli import one_sentence, run, snapshot, spawn
from support.pages import inert

FORMS = ("md", "html", "json")
Intact = Callable[[Path], Path]


def without_style(text: str) -> str:
    """The style sheet is the same in every page, and no content."""
    return re.sub(r"<style>.*?</style>", "<style></style>", text, flags=re.DOTALL)


def contents(folder: Path) -> str:
    """Every file of an export, the index first."""
    paths = sorted(folder.iterdir(), key=lambda path: (not path.name.startswith("index."), path.name))
    return "".join(f"=== {path.name}\n{without_style(path.read_text(encoding='utf-8'))}" for path in paths)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("workspace", golden.WORKSPACES)
def test_golden(stage: dict[str, Path], tmp_path: Path, workspace: str, form: str) -> None:
    out = tmp_path / "out"
    ran = run("sessions", "export", "-W", stage[workspace], "--all", "--format", form, "-o", out)
    assert (ran.code, ran.out) == (0, "")
    golden.check(f"sessions_export/{workspace}.{form}", contents(out), {"SAMPLES": stage[workspace].parent})
    golden.check(f"sessions_export/{workspace}.txt", ran.err.replace(f"index.{form}", "INDEX"), {"OUT": out})


@pytest.mark.parametrize("workspace", golden.WORKSPACES)
def test_every_page_of_the_samples_is_inert_and_linked(stage: dict[str, Path], tmp_path: Path, workspace: str) -> None:
    out = tmp_path / "out"
    run("sessions", "export", "-W", stage[workspace], "--all", "--format", "html", "-o", out)
    names = {path.name for path in out.iterdir()}
    for path in out.iterdir():
        inert(path.read_text(encoding="utf-8"), links=names)
    linked = re.findall(r'<a href="([^"]+)">', (out / "index.html").read_text(encoding="utf-8"))
    assert sorted([*linked, "index.html"]) == sorted(names)


SECRETS = ("liming", "wang@corp.cn", "13812345678", "Shop@2026", "sk-ant-api03-PfYoZJkJiNc4uXqmTdiRBkXd", "TICKET-77")
CHAT = (
    {
        "key": "whatsapp:8613812345678",
        "title": "mail wang@corp.cn, key sk-ant-api03-PfYoZJkJiNc",
        "preview": "密码：Shop@2026",
        "created_at": "2026-05-20T08:30:00.000Z",
        "updated_at": "2026-05-20T08:31:00.000Z",
        "last_consolidated": 0,
        "metadata": {"owner": "wang@corp.cn"},
    },
    {
        "id": 1,
        "sessionKey": "x",
        "role": "user",
        "content": "密码：Shop@2026，TICKET-77，手机 138 1234 5678",
        "timestamp": "2026-05-20T08:30:00.000Z",
    },
    {
        "id": 2,
        "sessionKey": "x",
        "role": "assistant",
        "content": "",
        "reasoningContent": "write to Wang@corp.cn",
        "toolCalls": [
            {"id": "c1", "name": "sh", "arguments": {"command": "mysql -pShop@2026", "cwd": "/home/liming/x"}}
        ],
        "timestamp": "2026-05-20T08:30:30.000Z",
    },
    {
        "id": 3,
        "sessionKey": "x",
        "role": "tool",
        "name": "sh",
        "toolCallId": "c1",
        "content": "key sk-ant-api03-PfYoZJkJiNc4uXqmTdiRBkXd",
        "timestamp": "2026-05-20T08:31:00.000Z",
    },
)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A workspace with secrets wherever a string can stand, its own path too."""
    sessions = tmp_path / "home" / "liming" / "agent" / "sessions"
    sessions.mkdir(parents=True)
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in CHAT)
    (sessions / "whatsapp_8613812345678.jsonl").write_text(lines + "\n", encoding="utf-8")
    shutil.copy(sessions / "whatsapp_8613812345678.jsonl", sessions / "whatsapp_8613812345679.jsonl")
    return sessions.parent


@pytest.mark.parametrize("form", FORMS)
def test_masked_in_every_place(private: Path, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.toml").write_text("[redact.patterns]\nticket = 'TICKET-[0-9]+'\n")
    monkeypatch.setenv("MEMCLI_CONFIG", str(tmp_path / "config.toml"))
    out = tmp_path / "out"
    ran = run("sessions", "export", "-W", private, "--all", "--redact", "--format", form, "-o", out)
    assert ran.code == 0
    assert "Masked: " in ran.err
    assert "ticket 1" in ran.err
    everything = contents(out).replace(str(tmp_path), "")
    for secret in (*SECRETS, "sk-ant", "8613812345678", "138 1234 5678", "Wang@"):
        assert secret not in everything, secret
    for label in ("[email-1]", "[phone-1]", "[password-1]", "[api-key-", "[user-1]", "[ticket-1]"):
        assert label in everything
    assert len(list(out.iterdir())) == 3


def test_masked_golden(private: Path, tmp_path: Path) -> None:
    ran = run("sessions", "export", private / "sessions" / "whatsapp_8613812345678.jsonl", "--redact")
    assert ran.code == 0
    golden.check("sessions_export/masked.md", ran.out, {"TMP": tmp_path})
    golden.check("sessions_export/masked.txt", ran.err, {})


def test_not_masked_without_being_asked(private: Path) -> None:
    ran = run("sessions", "export", private / "sessions" / "whatsapp_8613812345678.jsonl")
    assert all(secret in ran.out for secret in SECRETS)
    assert ran.err == ""


def test_one_session_to_standard_output(demonstration: Path) -> None:
    newest = run("sessions", "export", "-W", demonstration)
    assert newest == run("sessions", "export", "-W", demonstration, "@latest", "--format", "md", "-o", "-")
    assert newest.out.startswith("# ")
    assert without_style(
        run("sessions", "export", "-W", demonstration, "desktop:main", "--format", "html").out
    ).startswith('<!doctype html>\n<html lang="en">')


@pytest.mark.parametrize(
    ("name", "form", "beginning"),
    [
        ("x.md", None, "# "),
        ("x.html", None, "<!doctype html>"),
        ("x.HTM", None, "<!doctype html>"),
        ("x.json", None, '{"type":"session"'),
        ("x.txt", None, "# "),
        ("x", None, "# "),
        ("x.md", "json", '{"type":"session"'),
    ],
)
def test_one_session_to_a_file(
    demonstration: Path, tmp_path: Path, name: str, form: str | None, beginning: str
) -> None:
    given = ["--format", form] if form else []
    ran = run("sessions", "export", "-W", demonstration, "desktop:main", "-o", name, *given, cwd=tmp_path)
    assert ran == (0, "", f"Wrote {name}.\n")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(beginning)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    again = run("sessions", "export", "-W", demonstration, "desktop:main", "-o", name, *given, cwd=tmp_path)
    one_sentence(again, 2, f"{name} exists already; --force replaces it. Nothing was written.")
    assert run("sessions", "export", "-q", "--force", "-W", demonstration, "-o", name, cwd=tmp_path) == (0, "", "")


def test_one_session_into_a_folder(demonstration: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for folder in ("there", "new/"):
        ran = run("sessions", "export", "-W", demonstration, "desktop:main", "-o", folder, cwd=tmp_path)
        assert (ran.code, os.listdir(tmp_path / folder)) == (0, ["desktop_main.md"])
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_several_named_sessions(demonstration: Path, tmp_path: Path) -> None:
    names = ["desktop:main", "desktop:1748822400000"]
    ran = run("sessions", "export", "-W", demonstration, *names, "--format", "html", "-o", tmp_path / "out")
    assert ran.code == 0
    assert sorted(os.listdir(tmp_path / "out")) == ["desktop_1748822400000.html", "desktop_main.html", "index.html"]
    assert "Wrote 2 sessions to" in ran.err
    assert "desktop:1748822400000: 1 unreadable line passed over (" in ran.err
    lines = run("sessions", "export", "-W", demonstration, *names, "--format", "json").out.splitlines()
    assert [json.loads(line)["key"] for line in lines] == names


def test_the_index_is_newest_first(demonstration: Path, tmp_path: Path) -> None:
    run("sessions", "export", "-W", demonstration, "--all", "--format", "json", "-o", tmp_path / "out")
    index = json.loads((tmp_path / "out" / "index.json").read_text())
    listed = [row.split("\t")[1] for row in run("sessions", "ls", "-W", demonstration).out.splitlines()]
    assert [row["key"] for row in index["sessions"]] == listed
    for row in index["sessions"]:
        document = json.loads((tmp_path / "out" / row["file"]).read_text())
        assert document["key"] == row["key"]
        assert len([one for one in document["records"] if one["type"] == "record"]) == row["messages"]
        assert len([one for one in document["records"] if one["type"] == "unreadable"]) == row["unreadable"]


def test_a_session_that_cannot_be_read(demonstration: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "demo"
    shutil.copytree(demonstration, workspace)
    [path] = [path for path in workspace.rglob("*.jsonl") if path.name == "desktop_main.jsonl"]
    path.chmod(0)
    one = spawn("sessions", "export", path, mortal=True)
    assert one.code == 3
    assert "cannot be read: permission denied" in one.err
    out = tmp_path / "out"
    ran = spawn("sessions", "export", "-W", workspace, "--all", "--format", "html", "-o", out, mortal=True)
    assert ran.code == 3
    assert "cannot be read: permission denied" in ran.err
    assert "cannot be read: permission denied" in (out / "index.html").read_text()
    assert "desktop_main.html" not in os.listdir(out)
    assert len(os.listdir(out)) == len(list(workspace.rglob("desktop_*.jsonl")))


def test_refused_places(demonstration: Path, tmp_path: Path, intact: Intact) -> None:
    inside = next(demonstration.rglob("desktop_main.jsonl"))
    before = snapshot(demonstration)
    for place in (inside.parent, inside.parent / "out", inside.parent.parent / "x.md", inside):
        ran = run("sessions", "export", "-W", demonstration, "desktop:main", "-o", place, "--force")
        one_sentence(ran, 2, "a folder of the agent")
        ran = run("sessions", "export", "-W", demonstration, "--all", "-o", place)
        one_sentence(ran, 2, "Nothing was written.")
    assert snapshot(demonstration) == before


def test_nothing_is_written_when_one_file_is_there(demonstration: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "index.md").write_text("mine")
    one_sentence(run("sessions", "export", "-W", demonstration, "--all", "-o", out), 2, "index.md exists already")
    assert os.listdir(out) == ["index.md"]
    assert run("sessions", "export", "-W", demonstration, "--all", "-o", out, "--force").code == 0
    assert (out / "index.md").read_text() != "mine"


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        (["--all"], "Several sessions go into a folder: name one with -o DIR, or take --format json."),
        (["desktop:main", "desktop:1748822400000"], "Several sessions go into a folder"),
        (["--all", "desktop:main"], "give one of them"),
        (["--all", "-o", "missing/out"], "is no folder"),
        (["-o", "missing/x.md"], "is no folder"),
        (["--format", "pdf"], "'pdf' is not one of"),
        (["nosuch"], "No session answers to 'nosuch'"),
    ],
)
def test_bad_input(demonstration: Path, tmp_path: Path, intact: Intact, arguments: list[str], phrase: str) -> None:
    one_sentence(run("sessions", "export", "-W", demonstration, *arguments, cwd=intact(tmp_path)), 2, phrase)


def test_a_bad_configuration_is_told_before_anything_is_written(
    demonstration: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.toml").write_text("[redact.patterns]\nx = '('\n")
    monkeypatch.setenv("MEMCLI_CONFIG", str(tmp_path / "config.toml"))
    ran = run("sessions", "export", "-W", demonstration, "--all", "--redact", "-o", tmp_path / "out")
    one_sentence(ran, 2, "the pattern of 'x' is not valid")
    assert not (tmp_path / "out").exists()
    assert run("sessions", "export", "-W", demonstration).code == 0


def test_what_an_archive_holds(demonstration: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "sent"), "zip", demonstration)
    ran = run("sessions", "export", "-W", archive, "--all", "-o", tmp_path / "out", "--redact")
    assert ran.code == 0
    assert "Masked: " in ran.err
    assert str(tmp_path / "sent.zip") in (tmp_path / "out" / "desktop_main.md").read_text()


def test_a_terminal_that_is_not_utf8_gets_what_it_can_show(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"role":"user","content":"端口"}\n', encoding="utf-8")
    assert "端口" in run("sessions", "export", path, encoding="ascii").out
    assert "\\u7aef\\u53e3" in run("sessions", "export", path, encoding="ascii", columns=80).out
