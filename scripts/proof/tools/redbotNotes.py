"""Has REDbot check URLs, one after the other, and prints what it notes as JSON.

Its command takes no request headers, so it is used as a library. The one argument is a file:
[{"name": "getPet", "url": "http://…", "headers": [["Accept", "application/json"]]}].
"""

import json
import socket
import sys
from configparser import ConfigParser
from importlib.metadata import version

import dns.resolver
import thor
from redbot.resource import HttpResource


class Loopback:
    """Where all names are: it asks name servers, and does not look into the hosts file."""

    def addresses_and_families(self):
        return [("127.0.0.1", socket.AF_INET)]


dns.resolver.resolve_name = lambda name: Loopback()

parser = ConfigParser()
parser.read_dict({"redbot": {"enable_local_access": "True"}})
with open(sys.argv[1], encoding="utf-8") as file:
    asked = json.load(file)
answers = []


def note_of(note):
    return {
        "level": note.level.value if note.level else "bad",
        "note": type(note).__name__,
        "subject": note.subject,
        "summary": note.summary,
    }


def check_next():
    if len(answers) == len(asked):
        thor.stop()
        return
    wanted = asked[len(answers)]
    resource = HttpResource(parser["redbot"])
    resource.set_request(wanted["url"], headers=[tuple(pair) for pair in wanted["headers"]])

    def done():
        error = resource.fetch_error
        answers.append(
            {
                "name": wanted["name"],
                "status": resource.response.status_code,
                "error": None if error is None else f"{type(error).__name__} {error}",
                "notes": [note_of(note) for note in resource.response.notes],
            }
        )
        check_next()

    resource.on("check_done", done)
    resource.check()


check_next()
if asked:
    thor.run()
print(json.dumps({"version": version("redbot"), "answers": answers}))
