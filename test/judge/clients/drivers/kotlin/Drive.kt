// Calls the Kotlin client of openapi-generator.
import java.net.URI
import java.net.URLDecoder
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import org.openapitools.client.apis.*
import org.openapitools.client.infrastructure.*
import org.openapitools.client.models.*

val url: String = System.getenv("PLANT_STORE_URL")
val token: String = System.getenv("PLANT_STORE_TOKEN")
val plants = PlantsApi(url)
val bulk = BulkApi(url)

const val LOWEST = Long.MIN_VALUE
const val ROUNDED = (1L shl 53) + 1
const val HIGHEST = Long.MAX_VALUE
val ids = listOf(LOWEST, ROUNDED, HIGHEST)
val rows = listOf(NewPlant("Käthe", LOWEST, "Bäume"), NewPlant("Käthe", ROUNDED, "Bäume"), NewPlant("Käthe", HIGHEST))
val csv = "id,name,tag\r\n" + rows.joinToString("") { "${it.id},${it.name},${it.tag ?: ""}\r\n" }
val ndjson = rows.joinToString("") {
    "{\"id\":${it.id},\"name\":\"${it.name}\"" + (if (it.tag == null) "" else ",\"tag\":\"${it.tag}\"") + "}\n"
}

fun members(name: String, tag: String?) = "$name ${tag ?: "-"}"

fun text(plant: StoredPlant) = "${plant.id} ${members(plant.name, plant.tag)}"

fun page(page: List<StoredPlant>) = page.joinToString(", ") { text(it) }

fun create() = rows.map { plants.createPlant(it) }.joinToString(", ") { members(it.name, it.tag) }

fun list(field: String): String {
    val first = plants.listPlantsWithHttpInfo(2, null, null, null, null, null, null, null, null) as Success<List<StoredPlant>?>
    val found = Regex("cursor=([^&>]+)").find(first.headers.getValue(field)[0])!!
    val cursor = URLDecoder.decode(found.groupValues[1], "UTF-8")
    return page(first.data!!) + " | " + page(plants.listPlants(limit = 2, cursor = cursor))
}

fun delete(): String {
    plants.deletePlant(ROUNDED)
    return "deleted"
}

/** Without the generated functions, by their HTTP library. */
fun send(method: String, path: String, mediaType: String? = null, body: String? = null, accept: String = "application/json"): String {
    val content = body?.toByteArray()?.toRequestBody(mediaType?.toMediaType())
    val request = Request.Builder().url(url + path).header("Authorization", "Bearer $token").header("Accept", accept)
    return OkHttpClient().newCall(request.method(method, content).build()).execute().use { it.body.string() }
}

inline fun <reified Value> read(json: String): Value = Serializer.moshi.adapter(Value::class.java).fromJson(json)!!

fun batch(plants: String): String {
    val body = """{"action":"setTag","plants":$plants,"tag":"rare"}"""
    return "${read<BatchReport>(send("POST", "/plants/batch", "application/json", body)).changed} changed"
}

fun import(mediaType: String, body: String) = "${read<ImportReport>(send("POST", "/plants/import", mediaType, body)).created} created"

fun changes() = ChangesApi(url).listChanges(limit = 3, order = ChangesApi.OrderListChanges.desc)
    .joinToString(", ") { "${it.kind.value} ${text(it.plant!!)}" }

fun webhook(): String {
    val body = NewWebhook(URI("https://plants.invalid/hook"), listOf(NewWebhook.Events.plantPeriodDeleted))
    val hook = WebhooksApi(url).createWebhook(body)
    return "${hook.url} ${hook.enabled} ${hook.secret.take(6)}"
}

fun number(call: () -> Any): Int = try {
    call()
    0
} catch (exception: ClientException) {
    read<Error>((exception.response as ClientError<*>).body as String).error
}

val byHand = "OkHttp by hand"
val calls: Map<String, Pair<String, () -> String>> = mapOf(
    "create" to Pair("", ::create),
    "get" to Pair("") { page(ids.map { plants.getPlant(it) }) },
    "list" to Pair("") { list("Link") },
    "list/other" to Pair("`headers[\"link\"]`: the names are as they were sent") { list("link") },
    "patch" to Pair("") { text(plants.patchPlant(ROUNDED, PlantPatch(tag = null))) },
    "patch/other" to Pair(byHand) { text(read(send("PATCH", "/plants/$ROUNDED", "application/json", """{"tag":null}"""))) },
    "delete" to Pair("", ::delete),
    "batch of ids/other" to Pair(byHand) { batch("[${ids.joinToString()}]") },
    "batch of a filter/other" to Pair(byHand) { batch(Serializer.moshi.adapter(PlantFilter::class.java).toJson(PlantFilter(tag = "Bäume"))) },
    "export CSV" to Pair("") { bulk.exportPlants() },
    "export CSV/other" to Pair(byHand) { send("GET", "/plants/export", accept = "text/csv") },
    "export NDJSON" to Pair("") { bulk.exportPlants() },
    "export NDJSON/other" to Pair(byHand) { send("GET", "/plants/export", accept = "application/x-ndjson") },
    "import CSV" to Pair("") { "${bulk.importPlants(csv).created} created" },
    "import CSV/other" to Pair(byHand) { import("text/csv", csv) },
    "import NDJSON" to Pair("") { "${bulk.importPlants(ndjson).created} created" },
    "import NDJSON/other" to Pair(byHand) { import("application/x-ndjson", ndjson) },
    "changes" to Pair("", ::changes),
    "webhook" to Pair("", ::webhook),
    "error" to Pair("") { "${number { plants.getPlant(5) }} ${number { plants.createPlant(NewPlant("Other", LOWEST)) }}" },
)

fun main() {
    ApiClient.accessToken = token
    val adapter = Serializer.moshi.adapter(Map::class.java)
    generateSequence(::readLine).forEach { name ->
        val (how, call) = calls[name] ?: Pair("", null)
        val answer = try {
            if (call == null) mapOf("failed" to "") else mapOf("got" to call(), "how" to how)
        } catch (failed: Throwable) {
            mapOf("failed" to "$failed")
        }
        println(adapter.toJson(answer))
    }
}
