"""Where things are on the sample site, in a viewport of 1280x720 at scale 1.

The site's style sheet lays it out in fixed pixels, whatever fonts there are; a
test compares this table with the real layout.
"""

from __future__ import annotations

from dataclasses import dataclass

VIEWPORT = "1280x720"


@dataclass(frozen=True)
class Point:
    """The middle of one control, in CSS pixels, and what it is."""

    x: int
    y: int
    selector: str  # CSS, unique on its page
    role: str
    name: str  # its accessible name


DESK = {
    "search": Point(630, 28, "#search", "searchbox", "Search tickets"),
    "new ticket": Point(1190, 28, "#new-ticket", "link", "New ticket"),
    "first ticket": Point(200, 142, "#row-T-1042", "link", "Pots arrived broken"),
    "second ticket": Point(200, 218, "#row-T-1041", "link", "Where are my bulbs?"),
}
"""``/``, from the start."""

TICKET = {
    "close ticket": Point(1190, 38 + 56, "#close-ticket", "button", "Close ticket"),
    "assignee label": Point(524, 148, "label[for=assignee]", "label", "Assignee"),
    "assignee": Point(524, 176, "#assignee", "combobox", "Assignee"),
    "priority label": Point(715, 148, "label[for=priority]", "label", "Priority"),
    "priority": Point(715, 176, "#priority", "combobox", "Priority"),
    "status label": Point(881, 148, "label[for=status]", "label", "Status"),
    "status": Point(881, 176, "#status", "combobox", "Status"),
    "refund template": Point(512, 511, "#template-refund", "button", "Refund on its way"),
    "photo template": Point(696, 511, "#template-photo", "button", "Ask for a photo"),
    "delay template": Point(880, 511, "#template-delay", "button", "Delivery delay"),
    "reply": Point(840, 598, "#reply-text", "textbox", "Reply"),
    "internal note": Point(433, 687, "#internal", "checkbox", "Internal note"),
    "send": Point(1190, 687, "#send", "button", "Send reply"),
}
"""``/#T-…``, once a ticket is open. A label's click focuses its list without opening it."""

NEW = {
    "customer": Point(640, 193, "#customer", "textbox", "Customer"),
    "email": Point(640, 269, "#email", "textbox", "E-mail"),
    "subject": Point(640, 345, "#new-subject", "textbox", "Subject"),
    "message": Point(640, 466, "#text", "textbox", "Message"),
    "urgent": Point(382, 557, "#urgent", "checkbox", "This is urgent"),
    "create": Point(841, 605, "#create", "button", "Create ticket"),
}
"""``/new.html``."""
