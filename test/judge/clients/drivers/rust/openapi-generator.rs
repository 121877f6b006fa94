//! Calls the Rust client of openapi-generator.
mod plants;

use openapi::apis::{bulk_api, changes_api, configuration::Configuration, plants_api, webhooks_api, Error};
use openapi::models;
use plants::*;
use serde_json::json;

async fn create(to: &Configuration) -> Got {
    let mut texts = vec![];
    for (id, name, tag) in PLANTS {
        let mut body = models::NewPlant::new(name.into(), id);
        body.tag = tag.map(Into::into);
        let plant = plants_api::create_plant(to, body).await.map_err(failed)?;
        texts.push(members(&plant.name, &plant.tag));
    }
    Ok(texts.join(", "))
}

async fn get(to: &Configuration) -> Got {
    let mut plants = vec![];
    for id in IDS {
        plants.push(plants_api::get_plant(to, id, None, None).await.map_err(failed)?);
    }
    Ok(page(&plants))
}

/// The functions give no header fields.
async fn list_above(to: &Configuration) -> Got {
    let list = |above| plants_api::list_plants(to, Some(2), None, None, None, None, None, None, above, None);
    let first = list(None).await.map_err(failed)?;
    let second = list(first.last().map(|plant| plant.id)).await.map_err(failed)?;
    Ok(format!("{} | {}", page(&first), page(&second)))
}

async fn patch(to: &Configuration) -> Got {
    let body = models::PlantPatch { tag: Some(None), ..Default::default() };
    Ok(text(&plants_api::patch_plant(to, ROUNDED, body, None, None).await.map_err(failed)?))
}

async fn delete(to: &Configuration) -> Got {
    plants_api::delete_plant(to, ROUNDED, None, None).await.map_err(failed)?;
    Ok("deleted".into())
}

fn set_tag(plants: models::PlantSelection) -> models::SetTagBatch {
    models::SetTagBatch::new(models::set_tag_batch::Action::SetTag, plants, "rare".into())
}

async fn batch(to: &Configuration, plants: models::PlantSelection) -> Got {
    let body = models::Batch::SetTag(Box::new(set_tag(plants)));
    Ok(format!("{} changed", bulk_api::batch_plants(to, body).await.map_err(failed)?.changed))
}

/// By its HTTP client, without the function.
async fn send(to: &Configuration, method: reqwest::Method, path: &str, fields: [&str; 2], body: String) -> Got {
    let sent = to.client.request(method, format!("{}{path}", to.base_path)).bearer_auth(to.bearer_access_token.as_ref().unwrap());
    sent.header(fields[0], fields[1]).body(body).send().await.map_err(failed)?.text().await.map_err(failed)
}

async fn batch_by_hand(to: &Configuration, plants: models::PlantSelection) -> Got {
    let body = json!(set_tag(plants)).to_string();
    let reply = send(to, reqwest::Method::POST, "/plants/batch", ["Content-Type", "application/json"], body).await?;
    Ok(format!("{} changed", serde_json::from_str::<models::BatchReport>(&reply).map_err(failed)?.changed))
}

async fn import(to: &Configuration, rows: &str) -> Got {
    Ok(format!("{} created", bulk_api::import_plants(to, rows, None, None, None).await.map_err(failed)?.created))
}

async fn import_by_hand(to: &Configuration, rows: String, media_type: &str) -> Got {
    let reply = send(to, reqwest::Method::POST, "/plants/import", ["Content-Type", media_type], rows).await?;
    Ok(format!("{} created", serde_json::from_str::<models::ImportReport>(&reply).map_err(failed)?.created))
}

async fn changes(to: &Configuration) -> Got {
    let list = changes_api::list_changes(to, None, Some(3), Some("desc"), None, None, None, None, None, None, None);
    let texts = list.await.map_err(failed)?.into_iter().map(|change| {
        let plant = text(change.plant.as_deref().unwrap());
        format!("{} {plant}", json!(change.kind).as_str().unwrap())
    });
    Ok(texts.collect::<Vec<_>>().join(", "))
}

async fn webhook(to: &Configuration) -> Got {
    let events = vec![models::new_webhook::Events::PlantDeleted];
    let body = models::NewWebhook::new("https://plants.invalid/hook".into(), events);
    let hook = webhooks_api::create_webhook(to, body).await.map_err(failed)?;
    Ok(format!("{} {} {}", hook.url, hook.enabled, &hook.secret[..6]))
}

/// The numbers, by the variants of the errors or by what was received.
async fn errors(to: &Configuration, is_by_hand: bool) -> Got {
    let unknown = plants_api::get_plant(to, 5, None, None).await;
    let taken = plants_api::create_plant(to, models::NewPlant::new("Other".into(), LOWEST)).await;
    let (Err(Error::ResponseError(unknown)), Err(Error::ResponseError(taken))) = (unknown, taken) else {
        return Err("no error".into());
    };
    if is_by_hand {
        let number = |content: &str| serde_json::from_str::<models::Error>(content).map(|error| error.error).map_err(failed);
        return Ok(format!("{} {}", number(&unknown.content)?, number(&taken.content)?));
    }
    match (unknown.entity, taken.entity) {
        (Some(plants_api::GetPlantError::Status404(unknown)), Some(plants_api::CreatePlantError::Status409(taken))) =>
            Ok(format!("{} {}", unknown.error, taken.error)),
        others => Err(failed(others)),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut to = Configuration::new();
    to.base_path = std::env::var("PLANT_STORE_URL").unwrap();
    to.bearer_access_token = std::env::var("PLANT_STORE_TOKEN").ok();
    let all = || models::PlantSelection::PlantIds(IDS.into());
    let tagged = || models::PlantSelection::PlantFilter(Box::new(models::PlantFilter { tag: Some("Bäume".into()), ..Default::default() }));
    let export = |accept| send(&to, reqwest::Method::GET, "/plants/export", ["Accept", accept], String::new());
    let by_hand = "its `Configuration.client` by hand";
    for line in std::io::stdin().lines() {
        let (how, got) = match line.unwrap().as_str() {
            "create" => ("", create(&to).await),
            "get" => ("", get(&to).await),
            "list/other" => ("`above` with the last id: the functions give no header fields", list_above(&to).await),
            "patch" => ("", patch(&to).await),
            "delete" => ("", delete(&to).await),
            "batch of ids" => ("", batch(&to, all()).await),
            "batch of ids/other" => (by_hand, batch_by_hand(&to, all()).await),
            "batch of a filter" => ("", batch(&to, tagged()).await),
            "batch of a filter/other" => (by_hand, batch_by_hand(&to, tagged()).await),
            "export CSV" | "export NDJSON" => ("", bulk_api::export_plants(&to, None, None, None, None, None).await.map_err(failed)),
            "export CSV/other" => (by_hand, export("text/csv").await),
            "export NDJSON/other" => (by_hand, export("application/x-ndjson").await),
            "import CSV" => ("", import(&to, &csv()).await),
            "import CSV/other" => (by_hand, import_by_hand(&to, csv(), "text/csv").await),
            "import NDJSON" => ("", import(&to, &ndjson()).await),
            "import NDJSON/other" => (by_hand, import_by_hand(&to, ndjson(), "application/x-ndjson").await),
            "changes" => ("", changes(&to).await),
            "webhook" => ("", webhook(&to).await),
            "error" => ("", errors(&to, false).await),
            "error/other" => ("`ResponseContent.content` read as `models::Error`", errors(&to, true).await),
            _ => ("", Err(String::new())),
        };
        println!("{}", match got {
            Ok(got) => json!({ "got": got, "how": how }),
            Err(failed) => json!({ "failed": failed }),
        });
    }
}
