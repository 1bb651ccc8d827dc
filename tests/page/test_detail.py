"""Less is drawn where pictures take long, step by step."""

import pytest

from page.modules import Modules

DETAIL = """async (times) => {
  const { Detail } = await import('/static/space/detail.js');
  const detail = new Detail(false);
  const steps = [];
  let now = 0;
  for (const time of times) {
    now += time;
    if (detail.drew(now)) steps.push(detail.step);
  }
  return { steps, note: detail.note, pixels: detail.pixels };
}"""


@pytest.mark.parametrize(
    ("times", "steps"),
    [
        ([16] * 200, []),
        ([120] * 13, [1]),
        ([120] * 200, [1, 2, 3, 4]),  # and no further
        ([120] * 26 + [16] * 400, [1, 2]),  # what has gone does not come back
        (([16] * 11 + [400]) * 10, []),  # a single long one counts for nothing
        ([5000] * 40, []),  # nor do pauses
    ],
)
def test_detail_goes_in_steps_and_does_not_come_back(
    modules: Modules, times: list[int], steps: list[int]
) -> None:
    found = modules.evaluate(DETAIL, times)
    assert found["steps"] == steps
    assert bool(found["note"]) == (len(steps) > 1)
