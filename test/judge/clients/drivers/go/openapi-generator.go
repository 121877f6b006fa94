// Calls the Go client of openapi-generator.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	made "drive/client"
)

var ctx = context.WithValue(context.Background(), made.ContextAccessToken, os.Getenv("PLANT_STORE_TOKEN"))

// A client whose transport sets header fields.
func open(fields setting) *made.APIClient {
	configuration := made.NewConfiguration()
	configuration.Servers = made.ServerConfigurations{{URL: os.Getenv("PLANT_STORE_URL")}}
	configuration.HTTPClient = &http.Client{Transport: fields}
	return made.NewAPIClient(configuration)
}

var client = open(nil)

func body[Value any](value Value, _ *http.Response, err error) Value { return must(value, err) }

func stored(plant made.StoredPlant) string { return text(plant.Id, plant.Name, plant.GetTag()) }

func create() string {
	return each(plants, func(plant plant) string {
		created := made.NewPlantWithId(plant.name, plant.id)
		created.Tag = plant.tag
		reply := body(client.PlantsAPI.CreatePlant(ctx).PlantWithId(*created).Execute())
		return members(reply.Name, reply.GetTag())
	})
}

func list() string {
	first, response, err := client.PlantsAPI.ListPlants(ctx).Limit(2).Execute()
	must(first, err)
	second := body(client.PlantsAPI.ListPlants(ctx).Limit(2).Cursor(cursor(response.Header.Get("Link"))).Execute())
	return each(first, stored) + " | " + each(second, stored)
}

func patch() string {
	patch := made.NewPlantPatch()
	patch.SetTagNil()
	return stored(*body(client.PlantsAPI.PatchPlant(ctx, rounded).PlantPatch(*patch).Execute()))
}

func remove() string {
	must(client.PlantsAPI.DeletePlant(ctx, rounded).Execute())
	return "deleted"
}

func batch(selection made.PlantSelection) string {
	action := made.NewSetTagBatch("setTag", selection, "rare")
	report := body(client.BulkAPI.BatchPlants(ctx).Batch(made.SetTagBatchAsBatch(action)).Execute())
	return fmt.Sprintf("%d changed", report.Changed)
}

func export(client *made.APIClient) string { return body(client.BulkAPI.ExportPlants(ctx).Execute()) }

func imported(client *made.APIClient, rows string) string {
	return fmt.Sprintf("%d created", body(client.BulkAPI.ImportPlants(ctx).Body(rows).Execute()).Created)
}

func changes() string {
	page := body(client.ChangesAPI.ListChanges(ctx).Limit(3).Order("desc").Execute())
	return each(page, func(change made.Change) string { return change.Kind + " " + stored(*change.Plant) })
}

func webhook() string {
	request := made.NewWebhookRequest("https://plants.invalid/hook", []string{"plant.deleted"})
	hook := body(client.WebhooksAPI.CreateWebhook(ctx).WebhookRequest(*request).Execute())
	return fmt.Sprintf("%s %t %s", hook.Url, hook.Enabled, hook.Secret[:6])
}

func number(err error) int32 {
	var failed *made.GenericOpenAPIError
	if !errors.As(err, &failed) {
		panic(fmt.Sprintf("%T", err))
	}
	return failed.Model().(made.Error).Error
}

func failures() string {
	_, _, unknown := client.PlantsAPI.GetPlant(ctx, 5).Execute()
	_, _, taken := client.PlantsAPI.CreatePlant(ctx).PlantWithId(*made.NewPlantWithId("Other", lowest)).Execute()
	return fmt.Sprintf("%d %d", number(unknown), number(taken))
}

func main() {
	filter := made.PlantFilter{Tag: &tag}
	transport := "an `http.RoundTripper` that sets `"
	loop(map[string]call{
		"create": {run: create},
		"get": {run: func() string {
			return each(ids, func(id int64) string { return stored(*body(client.PlantsAPI.GetPlant(ctx, id).Execute())) })
		}},
		"list":                {run: list},
		"patch":               {run: patch},
		"delete":              {run: remove},
		"batch of ids":        {run: func() string { return batch(made.ArrayOfInt64AsPlantSelection(&ids)) }},
		"batch of a filter":   {run: func() string { return batch(made.PlantFilterAsPlantSelection(&filter)) }},
		"export CSV":          {run: func() string { return export(client) }},
		"export CSV/other":    {transport + "Accept`", func() string { return export(open(setting{"Accept": "text/csv"})) }},
		"export NDJSON":       {run: func() string { return export(client) }},
		"export NDJSON/other": {transport + "Accept`", func() string { return export(open(setting{"Accept": "application/x-ndjson"})) }},
		"import CSV":          {run: func() string { return imported(client, csv) }},
		"import CSV/other":    {transport + "Content-Type`", func() string { return imported(open(setting{"Content-Type": "text/csv"}), csv) }},
		"import NDJSON":       {run: func() string { return imported(client, ndjson) }},
		"changes":             {run: changes},
		"webhook":             {run: webhook},
		"error":               {run: failures},
	})
}
