"""Score the offline extractor on a labelled set, per language; the rules are those of tests/support/remembered.py.

python benchmarks/dream_eval.py                      the set of the repository
python benchmarks/dream_eval.py FILE                 another one of the same form
python benchmarks/dream_eval.py --half odd --show    one half of it, and what went wrong in each case
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support import remembered  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description="Score the offline extractor on a labelled set.")
    parser.add_argument("file", nargs="?", type=Path, default=remembered.SETS / "dream.jsonl")
    parser.add_argument("--half", choices=("even", "odd"), help="only the cases whose number is even, or odd")
    parser.add_argument("--show", action="store_true", help="print what was missed and what was wrong")
    options = parser.parse_args()
    cases = remembered.load(options.file)
    if options.half:
        cases = [case for case in cases if int(case["id"][1:]) % 2 == ("even", "odd").index(options.half)]
    if options.show:
        for case in cases:
            for fault in remembered.faults(case):
                print(fault)
    for row in remembered.table(remembered.scores(cases)):
        print(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
