"""Notices add up."""

from browser.playground import Playground


def test_notices_stand_beside_each_other_and_the_same_one_is_counted(playground: Playground) -> None:
    playground.open("?L=1000")
    first = "Some values of the link were changed:"
    notices = playground.find(".notice")
    playground.until(lambda: first in playground.notices, "the link is complained of")
    playground.find("#rest-reset").click()
    playground.find("#rest-set").click()
    playground.find("#rest-set").click()
    playground.find("#rest-set").click()
    texts = notices.all_inner_texts()
    assert [text.splitlines()[0][:20] for text in texts] == [
        "Some values of the l",
        "The rest pose is the",
        "The rest pose is the",
    ]
    assert texts[1].startswith("The rest pose is the first pose again")
    assert texts[2].endswith("(3)")
    notices.nth(1).get_by_label("Dismiss").click()
    assert len(notices.all()) == 2
