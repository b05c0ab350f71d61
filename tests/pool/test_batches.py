"""Which files are taken to belong together, so that one worker reads them."""

from __future__ import annotations

from kcheck.pool.batches import Split, split


def units(files: list[str], *fans: str) -> tuple[dict[str, int], list[str]]:
    """(number of files by the folder of the first of each unit, loose files)."""
    found = split(files, fans)
    assert sorted(n for part in (*found.units, found.loose) for n in part) == [*range(len(files))]
    named = {files[unit[0]].rpartition("/")[0]: len(unit) for unit in found.units}
    return named, [files[number] for number in found.loose]


def test_folders_of_a_folder_of_many() -> None:
    files = ["all/x.yaml", "all/a/1.yaml", "all/a/b/2.yaml", "all/c/3.yaml", "z.yaml"]
    assert units(files, "all") == ({"all/a": 2, "all/c": 1}, ["all/x.yaml", "z.yaml"])
    assert units(files) == ({}, files)


def test_folders_of_one_name_are_one_unit() -> None:
    files = [f"{kind}/c{n}/x.yaml" for kind in ("brokers", "topics") for n in range(3)]
    named, loose = units(files, "brokers", "topics")
    assert named == {f"brokers/c{n}": 2 for n in range(3)}
    assert not loose


def test_the_outermost_folder_of_many_counts() -> None:
    files = [f"c{n}/topics/t{m}/x.yaml" for n in range(3) for m in range(2)]
    assert units(files, "", "c0/topics", "c1/topics")[0] == {f"c{n}/topics/t0": 2 for n in range(3)}


def test_a_folder_that_holds_nearly_all_is_looked_into() -> None:
    files = ["docs/a.yaml", "fleet/x.yaml"] + [
        f"fleet/c{n}/{m}.yaml" for n in range(9) for m in "ab"
    ]
    expected = {"docs": 1, "fleet": 1, **{f"fleet/c{n}": 2 for n in range(9)}}
    assert units(files, "", "fleet") == (expected, [])
    assert not split(files, [""]).even
    assert split(files, ["", "fleet"]).even


def test_uneven_work_is_none_for_several() -> None:
    assert Split({"a": [0, 1], "b": [2, 3]}, []).even
    assert not Split({"a": [0, 1, 2], "b": [3, 4]}, []).even
    assert not Split({"a": [0], "b": [1]}, [2, 3, 4]).even
    assert not Split({}, [0, 1]).even


def test_batches_are_small_parts_of_the_whole_and_the_heaviest_comes_first() -> None:
    sizes = [10] * 320 + [5000]
    made = Split({f"u{n:03d}": [n] for n in range(321)}, []).batches(sizes.__getitem__, 2)
    assert made[0] == [320]
    assert sorted(n for batch in made for n in batch) == [*range(321)]
    assert all(sum(sizes[n] for n in batch) <= 8200 // 32 for batch in made[1:])
    even = Split({f"u{n:03d}": [n] for n in range(320)}, []).batches(lambda _: 10, 2)
    assert {len(batch) for batch in even} == {10}


def test_a_sample_has_neighbours_from_everywhere() -> None:
    sample = Split({f"u{n:03d}": [*range(n * 9, n * 9 + 9)] for n in range(100)}, []).sample()
    firsts = [unit[0] // 9 for unit in sample]
    assert {len(unit) for unit in sample} == {6}
    assert all(one + 1 == other for one, other in zip(firsts[::2], firsts[1::2], strict=True))
    assert firsts[0] == 0 and firsts[-1] > 80
    assert len(Split({"a": [1], "b": [2], "c": [3]}, []).sample()) == 3
