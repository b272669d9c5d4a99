"""Synonyms for values and argument names. Each line is a group; a word may be in several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from mulligan.resolve.words import canonical, split_words

_VALUES = """
urgent critical asap emergency blocker severe p0
urgent asap high p1
medium normal moderate p2
minor trivial low p3
in_transit on_the_way underway dispatched shipped sent
pending waiting queued open todo new unprocessed
in_progress ongoing active running doing started wip
done closed complete completed finished resolved fixed
delivered received arrived
cancelled canceled
failed failure error
success succeeded successful ok passed
celsius c metric si centigrade
fahrenheit f imperial us
kilometers kilometres km
miles mi
kilograms kg kilos
pounds lb lbs
meters metres m
feet ft
jpg jpeg
markdown md
text txt plain plaintext
html htm
yaml yml
javascript js
typescript ts
python py
tiff tif
excel xlsx xls spreadsheet
ascending asc increasing up
ascending asc oldest oldest_first
descending desc decreasing down
descending desc newest newest_first latest
small s little
medium m mid
large l big
xl extra_large xlarge
daily day every_day
weekly week every_week
monthly month every_month
yearly year annual annually every_year
hourly hour every_hour
english en eng
german de deutsch
french fr francais
spanish es espanol
italian it italiano
portuguese pt
dutch nl
chinese zh
japanese ja
euro euros eur
yen jpy
read reader viewer read_only readonly
write writer editor
admin administrator
car driving drive
walk walking foot pedestrian
bike bicycle bicycling cycling
bus public_transport transit
train rail public_transport transit
morning am
afternoon evening pm
now current
add create insert
remove delete
update edit modify
enabled on true yes
disabled off false no
"""

_NAMES = """
path file filename file_name file_path filepath
query q search search_query term terms keyword keywords question
query filter filters where condition conditions criteria predicate
limit max maximum max_results max_count count num n top_k topk size page_size per_page num_results
count num n number
url uri link href address
id identifier key
source src origin from from_path source_path input
destination dest dst target to to_path destination_path output
message msg text body content contents data
start begin start_date from_date since after
end finish end_date to_date until before
title name subject heading summary label
repo repository project
ref branch revision
directory dir folder path
language lang locale
command cmd script code
city location place town
user username user_name login account
recipient to email email_address address
sender from from_address from_email from_number
description details body text
table table_name
date day when
format type kind
amount value sum price total
quantity qty amount count
message_id id
folder destination directory
latitude lat
longitude lon lng long
timezone time_zone tz
phone phone_number telephone tel mobile
first_name given_name firstname
last_name surname family_name lastname
postal_code postcode zip_code zipcode zip
color colour
organization organisation org company
timestamp time moment
attendees participants guests invitees
assignee assigned_to responsible
sort_by order_by sort
expires_in ttl lifetime max_age
image picture photo img
"""

_STARTS = """
start begin from since after first start_date start_time start_at starts_at start_day begin_date begin_time begins_at from_date
from_time from_day date_from time_from time_min first_day first_date
"""
_ENDS = """
end finish to until till before last end_date end_time end_at ends_at end_day finish_date to_date to_time to_day until_date
date_to time_to time_max last_day last_date
"""

_SHORT_FORMS = """
src source
dst dest destination target
begin start
max maximum
min minimum
num number
id identifier no nr number code ref reference
qty quantity
amt amount
msg message
desc description
lang language
dir directory folder
repo repository
cmd command
img image
addr address
db database
org organization organisation
cfg config
env environment
lat latitude
lon lng longitude
"""

_OTHERS = """
reason why note notes comment comments explanation purpose thought thoughts reasoning confirm confirmed confirmation dry run
force offset cursor page sort order by reverse verbose debug quiet recursive async wait timeout retry retries encoding mode flag
flags option options filter filters field fields include exclude tag tags priority status state role permission permissions
version env environment region currency unit units owner author parent
"""


@cache
def _groups(table: str) -> Mapping[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(table.split("\n")):
        for word in line.split():
            found.setdefault(canonical(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def value_synonyms(value: str, candidates: Iterable[str]) -> list[str]:
    """The candidates that mean the same as a value."""
    return _find_synonyms(value, candidates, _groups(_VALUES))


def name_synonyms(name: str, candidates: Iterable[str]) -> list[str]:
    """The candidates that mean the same as an argument name, as a whole or word by word: `src_key`, `source_key`."""
    names = list(candidates)
    return _find_synonyms(name, names, _groups(_NAMES)) or [one for one in names if _is_same_in_each_word(name, one)]


def is_same_end(name: str, other: str) -> bool:
    """Whether two names of arguments mean the same end of a period: `from` and `start`, `to` and `last_day`.

    Args:
        name: the name as sent.
        other: the existing name.
    """
    one, two = canonical(name), canonical(other)
    return any(one in words and two in words for words in _ends())


@cache
def _ends() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(canonical, words.split())) for words in (_STARTS, _ENDS))


def _is_same_in_each_word(name: str, other: str) -> bool:
    ours, theirs = split_words(name), split_words(other)
    groups = _groups(_SHORT_FORMS)
    return len(ours) == len(theirs) > 1 and all(
        word == same or not groups.get(word, frozenset()).isdisjoint(groups.get(same, ()))
        for word, same in zip(ours, theirs, strict=True)
    )


def is_known_value(word: str) -> bool:
    """Whether a word is a value with a known meaning and is not a unit symbol: `on`, `pm`."""
    from mulligan.repair.units import is_unit

    plain = word.lower()
    return len(plain) > 1 and plain in _groups(_VALUES) and not is_unit(plain)


def is_known_name(name: str) -> bool:
    """Whether an argument name, or a word of it, has a known meaning."""
    return any(word in _groups(_NAMES) or word in _groups(_OTHERS) for word in (canonical(name), *split_words(name)))


def _find_synonyms(word: str, candidates: Iterable[str], groups: Mapping[str, frozenset[int]]) -> list[str]:
    meanings = groups.get(canonical(word.strip()), frozenset())
    return [name for name in candidates if meanings & groups.get(canonical(name), frozenset())]
