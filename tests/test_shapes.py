"""The checkpoints that benchmarks and slow tests make: whatever random weights answer has a text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel, DecodeStream
from tokenizers.models import BPE

from benchmarks.shapes import write_config

if TYPE_CHECKING:
    from pathlib import Path


def test_each_id_of_the_vocabulary_says_something_at_once(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    given = Tokenizer(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    given.decoder = ByteLevel()
    given.add_special_tokens(["<end>"])
    given.save(str(source / "tokenizer.json"))
    folder = write_config(tmp_path / "shape", {"vocab_size": 9}, source)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    stream = DecodeStream(skip_special_tokens=True)
    said = [stream.step(tokenizer, number) for number in range(9)]
    assert said == ["a", "b", "ab", None, " n4", " n5", " n6", " n7", " n8"]
    assert tokenizer.encode("abn5").ids == [2]  # no new way to read a text: what has no token has none


def test_a_tokenizer_with_a_token_for_each_id_stays_as_it_is(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    text = json.dumps({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}}, "added_tokens": []}, indent=3)
    (source / "tokenizer.json").write_text(text)
    folder = write_config(tmp_path / "shape", {"vocab_size": 2}, source)
    assert (folder / "tokenizer.json").read_text() == text
