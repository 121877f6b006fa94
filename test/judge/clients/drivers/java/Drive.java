// Calls the Java client of openapi-generator.
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Drive {
  interface Call {
    String run() throws Exception;
  }

  record Row(long id, String name, String tag) {}

  static final ApiClient client = new ApiClient();
  static final PlantsApi plants = new PlantsApi(client);
  static final BulkApi bulk = new BulkApi(client);

  static final long LOWEST = Long.MIN_VALUE, ROUNDED = (1L << 53) + 1, HIGHEST = Long.MAX_VALUE;
  static final List<Row> rows =
      List.of(new Row(LOWEST, "Käthe", "Bäume"), new Row(ROUNDED, "Käthe", "Bäume"), new Row(HIGHEST, "Käthe", null));
  static final String csv = "id,name,tag\r\n"
      + rows.stream().map(row -> row.id + "," + row.name + "," + (row.tag == null ? "" : row.tag) + "\r\n").collect(Collectors.joining());
  static final String ndjson = rows.stream()
      .map(row -> "{\"id\":" + row.id + ",\"name\":\"" + row.name + "\"" + (row.tag == null ? "" : ",\"tag\":\"" + row.tag + "\"") + "}\n")
      .collect(Collectors.joining());

  static String members(String name, String tag) {
    return name + " " + (tag == null ? "-" : tag);
  }

  static String text(StoredPlant plant) {
    return plant.getId() + " " + members(plant.getName(), plant.getTag());
  }

  static String page(List<StoredPlant> page) {
    return page.stream().map(Drive::text).collect(Collectors.joining(", "));
  }

  static String create() throws ApiException {
    List<String> texts = new ArrayList<>();
    for (Row row : rows) {
      Plant plant = plants.createPlant(new NewPlant().id(row.id).name(row.name).tag(row.tag));
      texts.add(members(plant.getName(), plant.getTag()));
    }
    return String.join(", ", texts);
  }

  static String get() throws ApiException {
    List<StoredPlant> found = new ArrayList<>();
    for (Row row : rows) found.add(plants.getPlant(row.id, null, null));
    return page(found);
  }

  static String list() throws ApiException {
    var first = plants.listPlantsWithHttpInfo(2, null, null, null, null, null, null, null, null);
    Matcher found = Pattern.compile("cursor=([^&>]+)").matcher(first.getHeaders().get("Link").get(0));
    found.find();
    String cursor = URLDecoder.decode(found.group(1), StandardCharsets.UTF_8);
    return page(first.getData()) + " | " + page(plants.listPlants(2, cursor, null, null, null, null, null, null, null));
  }

  static String delete() throws ApiException {
    plants.deletePlant(ROUNDED, null, null);
    return "deleted";
  }

  static String batch(Object selection) throws ApiException {
    var action = new SetTagBatch().action(SetTagBatch.ActionEnum.SET_TAG).plants(new PlantSelection(selection)).tag("rare");
    return bulk.batchPlants(new Batch(action)).getChanged() + " changed";
  }

  /** By what the generated functions call, with bytes as the body. */
  static <Result> Result send(String method, String path, String mediaType, String body, String accept, Class<Result> type) throws ApiException {
    Map<String, String> fields = new HashMap<>(Map.of("Accept", accept));
    if (mediaType != null) fields.put("Content-Type", mediaType);
    byte[] bytes = body == null ? null : body.getBytes(StandardCharsets.UTF_8);
    var call = client.buildCall(null, path, method, List.of(), List.of(), bytes, fields, Map.of(), Map.of(), new String[] {"bearerAuth"}, null);
    return client.<Result>execute(call, type).getData();
  }

  static String patchByHand() throws ApiException {
    String json = "application/json";
    return text(send("PATCH", "/plants/" + ROUNDED, "application/merge-patch+json", "{\"tag\":null}", json, StoredPlant.class));
  }

  static String changes() throws ApiException {
    return new ChangesApi(client).listChanges(null, 3, "desc", null, null, null, null, null, null, null).stream()
        .map(change -> change.getKind() + " " + text(change.getPlant())).collect(Collectors.joining(", "));
  }

  static String webhook() throws ApiException {
    var body = new NewWebhook().url(URI.create("https://plants.invalid/hook")).addEventsItem(NewWebhook.EventsEnum.PLANT_DELETED);
    var hook = new WebhooksApi(client).createWebhook(body);
    return hook.getUrl() + " " + hook.getEnabled() + " " + hook.getSecret().substring(0, 6);
  }

  static int number(Call call) throws Exception {
    try {
      call.run();
      return 0;
    } catch (ApiException exception) {
      return org.openapitools.client.model.Error.fromJson(exception.getResponseBody()).getError();
    }
  }

  public static void main(String[] arguments) {
    client.setBasePath(System.getenv("PLANT_STORE_URL")).setBearerToken(System.getenv("PLANT_STORE_TOKEN"));
    var ids = rows.stream().map(Row::id).toList();
    var taken = new NewPlant().id(LOWEST).name("Other");
    Map<String, Call> calls = new HashMap<>(Map.of("create", Drive::create, "get", Drive::get, "list", Drive::list,
        "patch", () -> text(plants.patchPlant(ROUNDED, new PlantPatch().tag(null), null, null)), "patch/other", Drive::patchByHand,
        "delete", Drive::delete, "batch of ids", () -> batch(ids), "batch of ids/other", () -> batch(new PlantFilter().ids(ids)),
        "batch of a filter", () -> batch(new PlantFilter().tag("Bäume"))));
    calls.putAll(Map.of("export CSV", () -> bulk.exportPlants(null, null, null, null, null),
        "export CSV/other", () -> send("GET", "/plants/export", null, null, "text/csv", String.class),
        "export NDJSON", () -> bulk.exportPlants(null, null, null, null, null),
        "import CSV", () -> bulk.importPlants(csv, null, null, null).getCreated() + " created",
        "import CSV/other", () -> send("POST", "/plants/import", "text/csv", csv, "application/json", ImportReport.class).getCreated() + " created",
        "import NDJSON", () -> bulk.importPlants(ndjson, null, null, null).getCreated() + " created",
        "changes", Drive::changes, "webhook", Drive::webhook,
        "error", () -> number(() -> text(plants.getPlant(5L, null, null))) + " " + number(() -> plants.createPlant(taken).getName())));
    for (var lines = new Scanner(System.in, StandardCharsets.UTF_8); lines.hasNextLine();) {
      String name = lines.nextLine();
      Map<String, String> answer = new HashMap<>();
      try {
        if (calls.containsKey(name)) answer.put("got", calls.get(name).run());
        answer.put("how", name.startsWith("batch") ? "`PlantFilter` with `ids`" : "`ApiClient.buildCall` and `execute`, with bytes as the body");
      } catch (Throwable failed) {
        answer.put("failed", failed.toString());
      }
      System.out.println(JSON.serialize(answer));
    }
  }
}
