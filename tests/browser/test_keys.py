"""Every key does what the help says, and none while something is typed."""

from browser.playground import Playground


def flag(playground: Playground, name: str) -> bool:
    return playground.find(f"#{name}").is_checked()


def motion(playground: Playground) -> str:
    return playground.page.evaluate("document.querySelector('input[name=mv]:checked').value")


def test_numbers_choose_the_solver_and_only_its_settings_are_shown(playground: Playground) -> None:
    playground.open("?cv=0")
    for key, solver in zip("1234567", ("ccd", "fabrik", "jt", "dls", "pinv", "sdls", "newton"), strict=True):
        playground.press(key)
        assert playground.pressed(f".chip[data-solver={solver}]")
        assert playground.find(".chip[aria-pressed=true]").count() == 1
        playground.until(lambda solver=solver: solver in playground.state["arms"], f"{solver} runs")
    playground.wait_query(algo="newton")
    shown = {"1": "d", "2": "", "3": "d g", "4": "d la", "5": "d", "6": "", "7": "d"}
    for key, names in shown.items():
        playground.press(key)
        visible = [name for name in ("d", "la", "g") if playground.find(f"#{name}").is_visible()]
        assert sorted(visible) == sorted(names.split())


def test_letters_switch_pause_trace_reach_and_metrics_and_move_the_target(playground: Playground) -> None:
    playground.open()
    switches = {"px": "p", "tr": "t", "rg": "g", "km": "k"}
    before = {name: flag(playground, name) for name in switches}
    for name, key in switches.items():
        playground.press(key)
        assert flag(playground, name) is not before[name]
    assert not playground.find("#hud").is_visible()
    playground.wait_query(**{name: str(int(not is_on)) for name, is_on in before.items()})
    for name, key in switches.items():
        playground.press(key.upper())
        assert flag(playground, name) is before[name]
    for key, kind in (("c", "circle"), ("i", "eight"), ("s", "none"), ("l", "eight"), ("s", "none")):
        playground.press(key)
        assert motion(playground) == kind
        playground.wait_query(mv=kind)


def test_help_opens_with_a_question_mark_and_closes_with_escape(playground: Playground) -> None:
    playground.open()
    dialog = playground.find("#help")
    playground.press("?")
    assert dialog.is_visible()
    playground.press("1")
    assert playground.pressed(".chip[data-solver=dls]")  # covered: other keys do nothing
    playground.press("Escape")
    assert not dialog.is_visible()
    playground.press("?")
    playground.press("?")
    assert not dialog.is_visible()
    playground.find("#help-open").click()
    dialog.get_by_role("button", name="Close help").click()
    assert not dialog.is_visible()
    playground.wait_query(help="0")


def test_r_races_and_0_resets(playground: Playground) -> None:
    playground.open("?px=1&n=3")
    playground.press("r")
    assert playground.pressed("#race-switch")
    assert playground.find("#race").is_visible()
    playground.press("r")
    assert not playground.pressed("#race-switch")
    playground.find("#shuffle").click()
    playground.until(lambda: abs(playground.q("dls")[2] - 0.5236) > 1e-3, "the pose is another one")
    playground.press("0")
    playground.until(lambda: abs(playground.q("dls")[2] - 0.5236) < 1e-3, "the pose is the first one")


def test_keys_do_nothing_while_a_field_is_typed_in_or_with_a_modifier(playground: Playground) -> None:
    playground.open("?algo=dls&n=5")
    playground.find("#n").focus()
    for key in "1ptgkcl?r0":
        playground.press(key)
    playground.page.wait_for_timeout(50)
    playground.find("#n").evaluate("field => field.value = 5")
    playground.find("#view").focus()
    for key in ("Control+g", "Alt+t", "Control+c", "Meta+k"):
        playground.press(key)
    assert playground.pressed(".chip[data-solver=dls]")
    assert not any(flag(playground, name) for name in ("px", "tr"))
    assert all(flag(playground, name) for name in ("rg", "km"))
    assert motion(playground) == "none"
    assert not playground.find("#help").is_visible()
    assert not playground.pressed("#race-switch")
    playground.press("g")
    assert not flag(playground, "rg")
