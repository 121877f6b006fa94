"""What both Python programs share: the plants, and the loop over the calls that stdin names."""
import json
import re
import sys
from urllib.parse import unquote

LOWEST, ROUNDED, HIGHEST = -(2**63), 2**53 + 1, 2**63 - 1
PLANTS = [(LOWEST, "Käthe", "Bäume"), (ROUNDED, "Käthe", "Bäume"), (HIGHEST, "Käthe", None)]
CSV = "id,name,tag\r\n" + "".join(f"{id},{name},{tag or ''}\r\n" for id, name, tag in PLANTS)
NDJSON = "".join(
    json.dumps({"id": id, "name": name, **({"tag": tag} if tag else {})}, ensure_ascii=False, separators=(",", ":")) + "\n"
    for id, name, tag in PLANTS
)


def plant_text(plant):
    return f"{plant.id} {members_text(plant)}"


def members_text(plant):
    return f"{plant.name} {plant.tag or '-'}"


def to_cursor(link):
    return unquote(re.search(r"cursor=([^&>]+)", link)[1])


def loop(calls):
    """Each call is a function, or a pair of what is different and a function."""
    for line in sys.stdin:
        try:
            call = calls.get(line.rstrip("\n"))
            how, call = call if isinstance(call, tuple) else ("", call)
            answer = {"got": call(), "how": how} if call else {"failed": ""}
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
