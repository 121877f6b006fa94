"""Calls the Python client of openapi-generator."""
import os

import openapi_client as made
from loop import CSV, HIGHEST, LOWEST, NDJSON, PLANTS, ROUNDED, loop, members_text, plant_text, to_cursor

configuration = made.Configuration(host=os.environ["PLANT_STORE_URL"], access_token=os.environ["PLANT_STORE_TOKEN"])
client = made.ApiClient(configuration)
plants = made.PlantsApi(client)
bulk = made.BulkApi(client)
changes = made.ChangesApi(client)
webhooks = made.WebhooksApi(client)


def create():
    created = [plants.create_plant(made.NewPlant(id=id, name=name, tag=tag)) for id, name, tag in PLANTS]
    return ", ".join(map(members_text, created))


def get():
    return ", ".join(plant_text(plants.get_plant(id)) for id in (LOWEST, ROUNDED, HIGHEST))


def list_two_pages(field):
    first = plants.list_plants_with_http_info(limit=2)
    second = plants.list_plants(limit=2, cursor=to_cursor(first.headers[field]))
    return " | ".join(", ".join(map(plant_text, page)) for page in (first.data, second))


def delete():
    plants.delete_plant(ROUNDED)
    return "deleted"


def batch(selection):
    action = made.SetTagBatch(action="setTag", plants=made.PlantSelection(selection), tag="rare")
    return f"{bulk.batch_plants(made.Batch(action)).changed} changed"


def export_bytes(media_type):
    return bulk.export_plants_without_preload_content(_headers={"Accept": media_type}).read().decode()


def rows(body, media_type):
    return f"{bulk.import_plants(body, _content_type=media_type).created} created"


def newest():
    return ", ".join(f"{each.kind} {plant_text(each.plant)}" for each in changes.list_changes(limit=3, order="desc"))


def webhook():
    hook = webhooks.create_webhook(made.NewWebhook(url="https://plants.invalid/hook", events=["plant.deleted"]))
    return f"{hook.url} {str(hook.enabled).lower()} {hook.secret[:6]}"


def number(call):
    try:
        call()
    except made.ApiException as error:
        return error.data.error


def errors():
    taken = made.NewPlant(id=LOWEST, name="Other")
    return f"{number(lambda: plants.get_plant(5))} {number(lambda: plants.create_plant(taken))}"


loop({
    "create": create,
    "get": get,
    "list": lambda: list_two_pages("Link"),
    "list/other": ('`headers["link"]`: the names are as they were sent', lambda: list_two_pages("link")),
    "patch": lambda: plant_text(plants.patch_plant(ROUNDED, made.PlantPatch(tag=None))),
    "delete": delete,
    "batch of ids": lambda: batch([LOWEST, ROUNDED, HIGHEST]),
    "batch of a filter": lambda: batch(made.PlantFilter(tag="Bäume")),
    "export CSV": lambda: bulk.export_plants(_headers={"Accept": "text/csv"}),
    "export CSV/other": ("`export_plants_without_preload_content`", lambda: export_bytes("text/csv")),
    "export NDJSON": lambda: bulk.export_plants(_headers={"Accept": "application/x-ndjson"}),
    "export NDJSON/other": ("`export_plants_without_preload_content`", lambda: export_bytes("application/x-ndjson")),
    "import CSV": lambda: rows(CSV, "text/csv"),
    "import NDJSON": lambda: rows(NDJSON, "application/x-ndjson"),
    "changes": newest,
    "webhook": webhook,
    "error": errors,
})
