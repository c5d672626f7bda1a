"""Brings resources/translations up to date: collects the window's texts from app/ and compiles what is translated.

python packaging/translations.py            collect into every .ts file and compile each to .qm
python packaging/translations.py --check    only say whether something is missing or not compiled (exit status 1)
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
# lupdate knows self.tr and translate by these names alone; modules of words have shorter ones of their own.
_ALIAS = re.compile(r"(?<![\w.])tr\(")  # tr = QCoreApplication.translate
_OWN_CALL = re.compile(r"(?<!def )(?<![\w.])_tr\(")
_OWN_CONTEXT = re.compile(r'def _tr\(text: str\) -> str:\s+return QCoreApplication\.translate\("(\w+)", text\)')


def tool(name: str) -> str:
    """The path of one of PySide6's tools."""
    return str(Path(sysconfig.get_path("scripts")) / f"pyside6-{name}")


def collect(target: Path) -> None:
    """Bring one .ts file up to date with the sources; what is no longer said is dropped."""
    with tempfile.TemporaryDirectory() as copy:
        sources = []
        for path in sorted((ROOT / "app").rglob("*.py")):
            text = _spelled_out(path.read_text(encoding="utf-8"))
            place = Path(copy) / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
            sources.append(str(place))
        command = [tool("lupdate"), "-no-obsolete", "-locations", "none", *sources, "-ts", str(target)]
        subprocess.run(command, check=True, capture_output=True)


def _spelled_out(text: str) -> str:
    """The source with every text marked by a name that lupdate knows."""
    if "tr = QCoreApplication.translate" in text:
        text = _ALIAS.sub("translate(", text)
    context = _OWN_CONTEXT.search(text)
    return _OWN_CALL.sub(f'translate("{context[1]}", ', text) if context else text


def compile_one(source: Path, target: Path) -> None:
    """Compile a .ts file to a .qm file."""
    subprocess.run([tool("lrelease"), "-silent", str(source), "-qm", str(target)], check=True)


def untranslated(source: Path) -> list[str]:
    """The texts of a .ts file that have no translation."""
    messages = ET.parse(source).getroot().iter("message")
    return [_text(each, "source") for each in messages if _is_open(each)]


def problems() -> list[str]:
    """What is missing: texts that a .ts file lacks, texts without translation, files not compiled."""
    found = []
    for source in sorted(FOLDER.glob("*.ts")):
        with tempfile.TemporaryDirectory() as folder:
            fresh = Path(folder) / source.name
            shutil.copy(source, fresh)
            collect(fresh)
            found += [f"{source.name}: not translated: {text}" for text in untranslated(fresh)]
            compiled = Path(folder) / "fresh.qm"
            compile_one(source, compiled)
            kept = source.with_suffix(".qm")
            if not kept.exists() or kept.read_bytes() != compiled.read_bytes():
                found.append(f"{kept.name}: not compiled from {source.name}")
    return found


def _text(message: ET.Element, tag: str) -> str:
    part = message.find(tag)
    return "" if part is None else "".join(part.itertext())


def _is_open(message: ET.Element) -> bool:
    part = message.find("translation")
    return part is None or part.get("type") == "unfinished" or not "".join(part.itertext()).strip()


def main() -> int:
    """Update, or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        found = problems()
        print("\n".join(found) or "Translations are complete and compiled.")
        return 1 if found else 0
    for source in sorted(FOLDER.glob("*.ts")):
        collect(source)
        compile_one(source, source.with_suffix(".qm"))
        print(f"{source.name}: {len(untranslated(source))} texts without translation")
    return 0


if __name__ == "__main__":
    sys.exit(main())
