"""The wheel lives beside the packages whose names it shares, and in hostile directories.

``daemon``, ``cdp`` and ``protocol`` are names that others own: ``python-daemon``
and ``chrome-devtools-protocol`` install two of them, and a caller's directory
may hold the third. Each interpreter present here gets an environment of its
own; packages come from the configured index.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
NEIGHBOURS = ("python-daemon", "chrome-devtools-protocol")
SUPPORTED = ("3.11", "3.12", "3.13")
COMPLETIONS = {
    "share/bash-completion/completions/understudy",
    "share/zsh/site-functions/_understudy",
    "share/fish/vendor_completions.d/understudy.fish",
}
HOSTILE = "raise SystemExit('a module of the caller was imported')\n"
INSTALL_TIMEOUT_S = 300


def run(*argv: str | Path, cwd: Path, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a command with none of this test run's import paths."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "UNDERSTUDY_HOME")
    variables = {name: value for name, value in os.environ.items() if name not in hidden}
    variables["UNDERSTUDY_HOME"] = str(cwd / "state")
    return subprocess.run(
        argv, cwd=cwd, env=variables, capture_output=True, text=True, timeout=timeout_s, check=False
    )


def done(*argv: str | Path, cwd: Path, timeout_s: float = 60) -> str:
    """Run a command that must succeed; return its stdout."""
    finished = run(*argv, cwd=cwd, timeout_s=timeout_s)
    assert finished.returncode == 0, (argv, finished.stdout, finished.stderr)
    return finished.stdout


def interpreters() -> dict[str, str]:
    """Return version -> path of each supported interpreter that works here."""
    return {v: path for v in SUPPORTED for path in _candidates(v) if _is_version(path, v)}


def _candidates(version: str) -> Iterator[str]:
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        yield sys.executable
        return
    found = shutil.which(f"python{version}")
    if found is None:
        return
    yield found
    # A version switcher's shim exists for versions that are not switched on.
    for switched in sorted(Path(found).parents[1].glob(f"versions/{version}.*/bin/python")):
        yield str(switched)


def _is_version(path: str, version: str) -> bool:
    probe = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    try:
        finished = run(path, "-c", probe, cwd=Path("/"))
    except OSError:
        return False
    return finished.stdout.strip() == version


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the source distribution, so that both are whole."""
    out = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "build", "--outdir", out, ROOT, cwd=out, timeout_s=300)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A working directory whose modules bear our names and end whoever imports them."""
    for name in ("protocol", "daemon", "cdp", "typer"):
        (tmp_path / f"{name}.py").write_text(HOSTILE)
    return tmp_path


def environment(python: str, directory: Path, *installed: str | Path) -> Path:
    """Make a virtual environment with the neighbours and ``installed``; return its bin."""
    done(python, "-m", "venv", directory, cwd=directory.parent)
    scripts = directory / "bin"
    pip = (scripts / "python", "-m", "pip", "install", "--quiet", "--no-input")
    done(*pip, *NEIGHBOURS, *installed, cwd=directory.parent, timeout_s=INSTALL_TIMEOUT_S)
    return scripts


def check_neighbours(scripts: Path, cwd: Path) -> None:
    """Both neighbours still answer to their names outside our command."""
    where = "print(daemon.__file__, daemon.DaemonContext.__name__)"
    assert "site-packages/daemon" in done(
        scripts / "python", "-c", f"import daemon; {where}", cwd=cwd
    )
    made = "import cdp, cdp.page; print(cdp.__file__, next(cdp.page.enable()))"
    out = done(scripts / "python", "-c", made, cwd=cwd)
    assert "site-packages/cdp" in out
    assert "Page.enable" in out


def check_ours(scripts: Path, hostile: Path, nest: str) -> None:
    """Our command works, and inside it the shared names are ours."""
    version = done(scripts / "understudy", "--version", cwd=hostile)
    assert version.startswith("understudy ")
    assert (
        done(scripts / "python", "-P", "-m", "understudy_cli.main", "--version", cwd=hostile)
        == version
    )
    shared = "daemon, cdp, protocol"
    probe = f"import understudy_cli, {shared}; [print(m.__file__) for m in ({shared})]"
    files = done(scripts / "python", "-P", "-c", probe, cwd=hostile).splitlines()
    assert files == [f"{nest}/{name}/__init__.py" for name in shared.split(", ")]


def check_daemon(scripts: Path, hostile: Path) -> None:
    """The installed command starts an installed daemon from a hostile directory, and ends it."""
    done(scripts / "understudy", "daemon", "start", cwd=hostile)
    try:
        assert done(scripts / "understudy", "daemon", "status", cwd=hostile)
    finally:
        done(scripts / "understudy", "daemon", "stop", cwd=hostile)


def test_the_wheel_puts_nothing_at_top_level_but_its_own_name(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.startswith("understudy_browser-")} == {"understudy_cli"}
    shared = {name.partition(".data/data/")[2] for name in names if ".data/" in name}
    pages = {f"share/{page.relative_to(ROOT)}" for page in (ROOT / "man").rglob("*.[157]")}
    assert "share/man/man1/understudy.1" in pages
    assert shared == pages | COMPLETIONS
    assert "understudy_cli/demo/pages/index.html" in names


def test_this_interpreter_is_supported() -> None:
    assert interpreters()[f"{sys.version_info[0]}.{sys.version_info[1]}"] == sys.executable


@pytest.mark.parametrize("version", sorted(interpreters()))
def test_wheel_beside_its_namesakes(
    version: str, wheel: Path, hostile: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp(f"venv-{version}")
    scripts = environment(interpreters()[version], root / "env", wheel)
    check_ours(
        scripts, hostile, str(root / f"env/lib/python{version}/site-packages/understudy_cli/_lib")
    )
    check_neighbours(scripts, root)
    assert (root / "env/share/man/man1/understudy.1").is_file()
    check_daemon(scripts, hostile)


def test_editable_install_beside_its_namesakes(
    hostile: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("venv-editable")
    scripts = environment(sys.executable, root / "env", "--editable", ROOT)
    check_ours(scripts, hostile, str(ROOT))
    check_neighbours(scripts, root)
