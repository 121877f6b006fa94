"""Calls the client of openapi-python-client."""
import os

from loop import CSV, HIGHEST, LOWEST, NDJSON, PLANTS, ROUNDED, loop, members_text, plant_text, to_cursor
from plant_store_client import AuthenticatedClient, models
from plant_store_client.api.bulk import batch_plants, export_plants
from plant_store_client.api.changes import list_changes
from plant_store_client.api.plants import create_plant, delete_plant, get_plant, list_plants, patch_plant
from plant_store_client.api.webhooks import create_webhook
from plant_store_client.types import UNSET


def open_client(**options):
    return AuthenticatedClient(base_url=os.environ["PLANT_STORE_URL"], token=os.environ["PLANT_STORE_TOKEN"], **options)


client = open_client()


def create():
    bodies = [models.NewPlant(id=id, name=name, tag=tag or UNSET) for id, name, tag in PLANTS]
    return ", ".join(members_text(create_plant.sync(client=client, body=body)) for body in bodies)


def get():
    return ", ".join(plant_text(get_plant.sync(id, client=client)) for id in (LOWEST, ROUNDED, HIGHEST))


def list_two_pages():
    first = list_plants.sync_detailed(client=client, limit=2)
    second = list_plants.sync(client=client, limit=2, cursor=to_cursor(first.headers["link"]))
    return " | ".join(", ".join(map(plant_text, page)) for page in (first.parsed, second))


def patch():
    return plant_text(patch_plant.sync(ROUNDED, client=client, body=models.PlantPatch(tag=None)))


def delete():
    assert delete_plant.sync_detailed(ROUNDED, client=client).status_code == 204
    return "deleted"


def batch(selection):
    body = models.SetTagBatch(action=models.SetTagBatchAction.SETTAG, plants=selection, tag="rare")
    return f"{batch_plants.sync(client=client, body=body).changed} changed"


def export(media_type):
    return export_plants.sync(client=open_client(headers={"Accept": media_type}))


def rows(body, media_type):
    http = client.get_httpx_client()
    reply = http.post("/plants/import", content=body.encode(), headers={"Content-Type": media_type})
    return f"{models.ImportReport.from_dict(reply.json()).created} created"


def newest():
    page = list_changes.sync(client=client, limit=3, order=models.ListChangesOrder.DESC)
    return ", ".join(f"{each.kind} {plant_text(each.plant)}" for each in page)


def webhook():
    body = models.NewWebhook(url="https://plants.invalid/hook", events=[models.WebhookEventsItem.PLANT_DELETED])
    hook = create_webhook.sync(client=client, body=body)
    return f"{hook.url} {str(hook.enabled).lower()} {hook.secret[:6]}"


def errors():
    taken = create_plant.sync(client=client, body=models.NewPlant(id=LOWEST, name="Other"))
    return f"{get_plant.sync(5, client=client).error} {taken.error}"


loop({
    "create": create,
    "get": get,
    "list": list_two_pages,
    "patch": patch,
    "delete": delete,
    "batch of ids": lambda: batch([LOWEST, ROUNDED, HIGHEST]),
    "batch of a filter": lambda: batch(models.PlantFilter(tag="Bäume")),
    "export CSV": lambda: export_plants.sync(client=client),
    "export CSV/other": ("an `AuthenticatedClient` with `headers`", lambda: export("text/csv")),
    "export NDJSON": lambda: export_plants.sync(client=client),
    "export NDJSON/other": ("an `AuthenticatedClient` with `headers`", lambda: export("application/x-ndjson")),
    "import CSV/other": ("its `client.get_httpx_client()`", lambda: rows(CSV, "text/csv")),
    "import NDJSON/other": ("its `client.get_httpx_client()`", lambda: rows(NDJSON, "application/x-ndjson")),
    "changes": newest,
    "webhook": webhook,
    "error": errors,
})
