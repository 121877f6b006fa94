// Calls the client of oapi-codegen.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	made "drive/client"

	"github.com/oapi-codegen/nullable"
)

var ctx = context.Background()

var client = must(made.NewClientWithResponses(os.Getenv("PLANT_STORE_URL"), made.WithRequestEditorFn(
	header("Authorization", "Bearer "+os.Getenv("PLANT_STORE_TOKEN")))))

func header(name string, value string) made.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set(name, value)
		return nil
	}
}

func stored(plant made.StoredPlant) string { return text(plant.Id, plant.Name, or(plant.Tag)) }

func or(tag *string) string {
	if tag == nil {
		return ""
	}
	return *tag
}

func pointer[Value any](value Value) *Value { return &value }

func create() string {
	return each(plants, func(plant plant) string {
		body := made.NewPlant{Id: plant.id, Name: plant.name, Tag: plant.tag}
		reply := must(client.CreatePlantWithResponse(ctx, body)).JSON200
		return members(reply.Name, or(reply.Tag))
	})
}

func list() string {
	limit := pointer[int32](2)
	first := must(client.ListPlantsWithResponse(ctx, &made.ListPlantsParams{Limit: limit}))
	next := made.ListPlantsParams{Limit: limit, Cursor: pointer(cursor(first.HTTPResponse.Header.Get("Link")))}
	second := must(client.ListPlantsWithResponse(ctx, &next))
	return each(*first.JSON200, stored) + " | " + each(*second.JSON200, stored)
}

func patch() string {
	body := made.PlantPatch{Tag: nullable.NewNullNullable[string]()}
	reply := must(client.PatchPlantWithApplicationMergePatchPlusJSONBodyWithResponse(ctx, rounded, nil, body))
	return stored(*reply.JSON200)
}

func remove() string {
	if status := must(client.DeletePlantWithResponse(ctx, rounded, nil)).StatusCode(); status != 204 {
		panic(status)
	}
	return "deleted"
}

func batch(selection made.PlantSelection) string {
	body := made.Batch{}
	must(0, body.FromSetTagBatch(made.SetTagBatch{Plants: selection, Tag: "rare", Action: "setTag"}))
	return fmt.Sprintf("%d changed", must(client.BatchPlantsWithResponse(ctx, body)).JSON200.Changed)
}

func export(editors ...made.RequestEditorFn) string {
	return string(must(client.ExportPlantsWithResponse(ctx, nil, editors...)).Body)
}

func imported(mediaType string, rows string) string {
	reply := must(client.ImportPlantsWithBodyWithResponse(ctx, nil, mediaType, strings.NewReader(rows)))
	return fmt.Sprintf("%d created", reply.JSON200.Created)
}

func changes() string {
	params := made.ListChangesParams{Limit: pointer[int32](3), Order: pointer[made.ListChangesParamsOrder]("desc")}
	page := *must(client.ListChangesWithResponse(ctx, &params)).JSON200
	return each(page, func(change made.Change) string { return string(change.Kind) + " " + stored(*change.Plant) })
}

func webhook() string {
	body := made.NewWebhook{Url: "https://plants.invalid/hook", Events: []string{"plant.deleted"}}
	hook := must(client.CreateWebhookWithResponse(ctx, body)).JSON201
	return fmt.Sprintf("%s %t %s", hook.Url, hook.Enabled, hook.Secret[:6])
}

func failures() string {
	unknown := must(client.GetPlantWithResponse(ctx, 5, nil)).JSON404
	taken := must(client.CreatePlantWithResponse(ctx, made.NewPlant{Id: lowest, Name: "Other"})).JSON409
	return fmt.Sprintf("%d %d", unknown.Error, taken.Error)
}

func main() {
	all, filter := made.PlantSelection{}, made.PlantSelection{}
	must(0, all.FromPlantIds(ids))
	must(0, filter.FromPlantFilter(made.PlantFilter{Tag: &tag}))
	accept := "a `RequestEditorFn` that sets `Accept`"
	loop(map[string]call{
		"create": {run: create},
		"get": {run: func() string {
			return each(ids, func(id int64) string { return stored(*must(client.GetPlantWithResponse(ctx, id, nil)).JSON200) })
		}},
		"list":                {run: list},
		"patch":               {run: patch},
		"delete":              {run: remove},
		"batch of ids":        {run: func() string { return batch(all) }},
		"batch of a filter":   {run: func() string { return batch(filter) }},
		"export CSV":          {run: func() string { return export() }},
		"export CSV/other":    {accept, func() string { return export(header("Accept", "text/csv")) }},
		"export NDJSON":       {run: func() string { return export() }},
		"import CSV":          {run: func() string { return imported("text/csv", csv) }},
		"import NDJSON":       {run: func() string { return imported("application/x-ndjson", ndjson) }},
		"changes":             {run: changes},
		"webhook":             {run: webhook},
		"error":               {run: failures},
	})
}
