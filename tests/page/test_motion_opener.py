"""What is requested of a motion while a hand drags it, and what is taken back."""

from typing import Any

from page.modules import Modules

DRAG = """async (steps) => {
  const { Opener } = await import('/static/motion/opener.js');
  const { withDrag } = await import('/static/motion/changes.js');
  const values = { token: 't', unit: 'cm', up: 'auto', anim: null, ch: [], robot: null };
  const watchers = [];
  const store = {
    get: (name) => values[name],
    set: (changes) => { Object.assign(values, changes); watchers.forEach((each) => each()); },
    watch: (_, each) => watchers.push(each),
  };
  const asked = [], refusals = [];
  const calls = { ask: async (_, body) => {
    asked.push(body.changes);
    if (body.changes.some(({ place }) => place === 'far')) throw new Error('too far');
    return { key: 'k', frames: 0, arms: [{ nq: 0 }] };
  } };
  globalThis.fetch = async () => ({ ok: true, arrayBuffer: async () => new ArrayBuffer(0) });
  const refuse = (message) => refusals.push(message);
  const opener = new Opener({ store, calls, onShown: () => {}, onFault: refuse, onRefused: refuse });
  const turn = () => new Promise((done) => setTimeout(done, 0));
  const settled = async () => { for (let k = 0; k < 50; k++) await turn(); };
  opener.begin();
  await settled();
  for (const [link, place] of steps) {
    const change = { kind: 'drag', link, frame: 7, place, falloff: 0.3 };
    opener.preview(change);
    await settled();
    if (!refusals.length) { // as a hand that lets go
      opener.pending = null;
      store.set({ ch: withDrag(values.ch, change) });
      await settled();
    }
  }
  const changes = values.ch.map(({ link, place }) => [link, place]);
  return { changes, asked: asked.map((each) => each.length), refusals };
}"""


def dragged(modules: Modules, *steps: tuple[str, str]) -> Any:
    return modules.evaluate(DRAG, steps)


def test_a_refused_drag_takes_back_nothing_but_itself(modules: Modules) -> None:
    done = dragged(modules, ("LeftHand", "a"), ("Hips", "b"), ("LeftHand", "far"))
    assert done["refusals"] == ["too far"]
    assert done["changes"] == [["LeftHand", "a"], ["Hips", "b"]]


def test_a_link_that_is_dragged_again_is_requested_once(modules: Modules) -> None:
    done = dragged(modules, ("LeftHand", "a"), ("LeftHand", "b"))
    assert done["changes"] == [["LeftHand", "b"]]
    assert max(done["asked"]) == 1


PYTHON = """async (drags) => {
  const { inPython } = await import('/static/motion/changes.js');
  const drag = ([link, frame]) => ({ kind: 'drag', link, frame, place: [1, 2, 3], falloff: 0.3 });
  const changes = drags.map(drag);
  return changes.map((change, i) => inPython(change, 'z', changes.slice(0, i)));
}"""


def test_the_python_of_a_drag_keeps_the_frames_that_the_page_keeps(modules: Modules) -> None:
    lines = modules.evaluate(PYTHON, [["LeftHand", 7], ["Hips", 8], ["LeftHand", 20], ["LeftHand", 7]])
    calls = [line.removeprefix("motion = limbik.motion.drag(motion, ") for line in lines]
    assert calls[0] == '"LeftHand", 7, [1.000, 2.000, 3.000], falloff=0.3)'
    assert calls[2].endswith("falloff=0.3, keep=[7])") and calls[3].endswith("falloff=0.3, keep=[20])")
