"""Measured ceilings on disk, one small file a device, in the cache folder: they can be measured again."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

import msgspec

from engine.domain.paths import cache_dir, private_folder
from engine.domain.roofline import Ceilings
from engine.domain.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)


class CeilingsFolder:
    """Reads and writes Ceilings by their key. Blocking, though for less than a millisecond."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def read(self, key: str) -> Ceilings | None:
        """What was measured last; None where nothing was, or what is there is no whole measurement."""
        path = self._path(key)
        try:
            found = msgspec.json.decode(path.read_bytes(), type=Ceilings)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError) as error:
            log.info("%s is passed over: %s", path, error)
            return None
        rates = (found.read_bytes_per_s, found.copy_bytes_per_s, *found.flops_per_s.values())
        return found if found.key == key and all(rate > 0 for rate in rates) else None

    def write(self, ceilings: Ceilings) -> None:
        """Keep a measurement in place of the last one of this device. Raises OSError."""
        write_whole(self._path(ceilings.key), msgspec.json.encode(ceilings), mode=0o600)

    def _path(self, key: str) -> Path:
        folder = private_folder(self._folder if self._folder is not None else cache_dir() / "ceilings")
        return folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', key).strip('-')}.json"
