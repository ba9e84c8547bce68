"""Lists say on every way out what they say on the page: what is done, and which number is which."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

DONE = "- [x] Ölen\n- [ ] 看门"
TASKS = {
    "GitHub": "<ul class=contains-task-list><li class=task-list-item><input type=checkbox disabled checked> Ölen</li><li><input type=checkbox disabled> 看门</li></ul>",
    "labels": "<ul class=task-list><li><label><input type='checkbox' checked=''>Ölen</label></li><li><label><input type='checkbox'>看门</label></li></ul>",
    "paragraphs": "<ul><li><p><input type=CHECKBOX disabled checked> Ölen</p></li><li><p><input type=checkbox disabled> 看门</p></li></ul>",
    "an editor": "<ul data-type=taskList><li data-checked=true><label><input type=checkbox checked><span></span></label><div><p>Ölen</p></div></li><li data-checked=false><label><input type=checkbox><span></span></label><div><p>看门</p></div></li></ul>",
    "drawn boxes": "<ul class=todo><li><span role=checkbox aria-checked=true></span> Ölen</li><li><span role=checkbox aria-checked=false></span> 看门</li></ul>",
    "Quill": "<ul data-checked=true><li>Ölen</li></ul><ul data-checked=false><li>看门</li></ul>",
    "a later Quill": "<ol><li data-list=checked><span></span>Ölen</li><li data-list=unchecked><span></span>看门</li></ol>",
    "Notion": "<ul class=to-do-list><li><div class='checkbox checkbox-on'></div> <span class='to-do-children-checked'>Ölen</span></li><li><div class='checkbox checkbox-off'></div> 看门</li></ul>",
    "Confluence": "<ul class=inline-task-list><li class=checked><span>Ölen</span></li><li><span>看门</span></li></ul>",
    "drawings": "<ul class=checklist><li><svg aria-label=checked><path d=M0></path></svg> Ölen</li><li><svg aria-label=unchecked></svg> 看门</li></ul>",
    "items": "<ul role=list><li role=checkbox aria-checked=true>Ölen</li><li role=checkbox aria-checked=false>看门</li></ul>",
    "signs": "<ul><li>☑ Ölen</li><li>☐ 看门</li></ul>",
}  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_tasks_say_whether_they_are_done(name: str) -> None:
    content = Content([parse(TASKS[name]).root])
    assert content.text == "☑ Ölen\n☐ 看门"
    assert content.markdown in (
        DONE,
        DONE.replace("- [x]", "1. [x]").replace("- [ ]", "2. [ ]"),
        DONE.replace("\n", "\n\n"),
    )
    assert Content([parse(content.html).root]).text == content.text


WRITTEN = {
    "divisions": ("<div class=todo-list><div><input type=checkbox checked disabled><label>διάβασε</label></div><div><input type=checkbox disabled> γράψε</div></div>", "☑ διάβασε\n☐ γράψε", "☑ διάβασε\n\n☐ γράψε"),
    "cells": ("<table><tr><th>मद<th>पूरा<tr><td>पढ़ो<td><input type=checkbox checked disabled><tr><td>लिखो<td><input type=checkbox disabled></table>", "मद पूरा\nपढ़ो ☑\nलिखो ☐", "| मद | पूरा |\n| --- | --- |\n| पढ़ो | ☑ |\n| लिखो | ☐ |"),
    "Org": ("<ul><li class=on><code>[X]</code> اقرأ<li class=off><code>[&nbsp;]</code> اكتب</ul>", "[X] اقرأ\n[ ] اكتب", "- [x] اقرأ\n- [ ] اكتب"),
    "brackets": ("<ul><li>[x] читать<li>[ ] писать<li>[y] и</ul>", "[x] читать\n[ ] писать\n[y] и", "- [x] читать\n- [ ] писать\n- \\[y\\] и"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_boxes_outside_lists_and_boxes_in_letters(name: str) -> None:
    html, text, markdown = WRITTEN[name]
    content = Content([parse(html).root])
    assert content.text == text
    assert content.markdown == markdown


NO_TASKS = {
    "a shopping list": "<ul class=ingredients><li><input type=checkbox> Mehl</li></ul>",
    "a filter": "<form><ul class=checklist><li><input type=checkbox checked> rot</li></ul></form>",
    "a menu": "<ul><li><input type=checkbox id=m><label for=m>Menü</label></li></ul>",
    "a box behind a text": "<ul class=tasks><li>ja <input type=checkbox checked></li></ul>",
    "another input": "<ul class=tasks><li><input type=radio checked> ja</li></ul>",
    "a box that opens an answer": "<ul><li><input type=checkbox checked id=a><label for=a>質問</label><div>答え</div></li></ul>",
    "a box of a filter": "<div class=filters><div><input type=checkbox checked><label>rot</label></div></div>",
    "a name of something else": "<ul class=benefits><li><i class=icon-check></i> schnell</li></ul>",
    "a box alone": "<p>Ich stimme zu <input type=checkbox checked></p>",
}


@pytest.mark.parametrize("name", NO_TASKS)
def test_other_boxes_say_nothing(name: str) -> None:
    text = Content([parse(NO_TASKS[name]).root]).text
    assert "☑" not in text
    assert "☐" not in text


NUMBERS = {
    "a value": ("<ol><li>a<li value=5>b<li>c<li value=9>d</ol>", "1. a\n5. b\n6. c\n9. d"),
    "a start": ("<ol start=4><li>один<li>два</ol>", "4. один\n5. два"),
    "counting down": ("<ol reversed><li>三<li>二<li>一</ol>", "3. 三\n2. 二\n1. 一"),
    "down from": ("<ol reversed start=10><li>a<li>b</ol>", "10. a\n9. b"),
    "down below nothing": ("<ol reversed start=1><li>a<li>b<li>c</ol>", "1. a\n0. b\n0. c"),
    "no number": ("<ol><li value=x>a<li value='²'>b<li value=-1>c</ol>", "1. a\n2. b\n3. c"),
    "a list within": ("<ol><li value=7>a<ol reversed><li>b<li>c</ol><li>d</ol>", "7. a\n   2. b\n   1. c\n8. d"),
    "no list of numbers": ("<ul><li value=7>a<li>b</ul>", "- a\n- b"),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_items_have_the_numbers_of_the_page(name: str) -> None:
    html, markdown = NUMBERS[name]
    content = Content([parse(html).root])
    assert content.markdown == markdown
    assert Content([parse(content.html).root]).markdown == markdown
