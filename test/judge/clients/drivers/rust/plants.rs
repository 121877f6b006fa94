//! What the Rust program sends, and how it writes what it reads.
use openapi::models;
use std::fmt::Debug;

pub const LOWEST: i64 = i64::MIN;
pub const ROUNDED: i64 = (1 << 53) + 1;
pub const HIGHEST: i64 = i64::MAX;
pub const IDS: [i64; 3] = [LOWEST, ROUNDED, HIGHEST];
pub const PLANTS: [(i64, &str, Option<&str>); 3] =
    [(LOWEST, "Käthe", Some("Bäume")), (ROUNDED, "Käthe", Some("Bäume")), (HIGHEST, "Käthe", None)];

pub type Got = Result<String, String>;

pub fn failed(error: impl Debug) -> String {
    format!("{error:?}")
}

pub fn members(name: &str, tag: &Option<String>) -> String {
    format!("{name} {}", tag.as_deref().unwrap_or("-"))
}

pub fn text(plant: &models::StoredPlant) -> String {
    format!("{} {}", plant.id, members(&plant.name, &plant.tag))
}

pub fn page(plants: &[models::StoredPlant]) -> String {
    plants.iter().map(text).collect::<Vec<_>>().join(", ")
}

pub fn csv() -> String {
    let rows: String = PLANTS.iter().map(|(id, name, tag)| format!("{id},{name},{}\r\n", tag.unwrap_or(""))).collect();
    format!("id,name,tag\r\n{rows}")
}

pub fn ndjson() -> String {
    let rows = PLANTS.iter().map(|(id, name, tag)| match tag {
        Some(tag) => format!("{{\"id\":{id},\"name\":\"{name}\",\"tag\":\"{tag}\"}}\n"),
        None => format!("{{\"id\":{id},\"name\":\"{name}\"}}\n"),
    });
    rows.collect()
}
