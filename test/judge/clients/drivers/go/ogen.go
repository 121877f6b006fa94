// Calls the client of ogen.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	made "drive/client"
)

var ctx = context.Background()

type bearer struct{}

func (bearer) BearerAuth(context.Context, made.OperationName) (made.BearerAuth, error) {
	return made.BearerAuth{Token: os.Getenv("PLANT_STORE_TOKEN")}, nil
}

// A client whose transport sets header fields.
func open(fields setting) *made.Client {
	transport := made.WithClient(&http.Client{Transport: fields})
	return must(made.NewClient(os.Getenv("PLANT_STORE_URL"), bearer{}, transport))
}

var client = open(nil)

func stored(plant made.StoredPlant) string { return text(plant.ID, plant.Name, plant.Tag.Or("")) }

func create() string {
	return each(plants, func(plant plant) string {
		body := made.NewPlant{ID: plant.id, Name: plant.name}
		if plant.tag != nil {
			body.Tag.SetTo(*plant.tag)
		}
		reply := must(client.CreatePlant(ctx, &body)).(*made.PlantHeaders).Response
		return members(reply.Name, reply.Tag.Or(""))
	})
}

func get(id int64) string {
	reply := must(client.GetPlant(ctx, made.GetPlantParams{ID: id})).(*made.StoredPlantHeaders)
	return stored(reply.Response)
}

func list() string {
	params := made.ListPlantsParams{Limit: made.NewOptInt32(2)}
	first := must(client.ListPlants(ctx, params)).(*made.ListPlantsOKHeaders)
	params.Cursor.SetTo(cursor(first.Link.Value))
	second := must(client.ListPlants(ctx, params)).(*made.ListPlantsOKHeaders)
	return each(first.Response, stored) + " | " + each(second.Response, stored)
}

func patch() string {
	body := made.PatchPlantApplicationMergePatchJSON{}
	body.Tag.SetToNull()
	reply := must(client.PatchPlant(ctx, &body, made.PatchPlantParams{ID: rounded})).(*made.StoredPlantHeaders)
	return stored(reply.Response)
}

func remove() string {
	_ = must(client.DeletePlant(ctx, made.DeletePlantParams{ID: rounded})).(*made.DeletePlantNoContent)
	return "deleted"
}

func batch(selection made.PlantSelection) string {
	action := made.SetTagBatch{Action: made.SetTagBatchActionSetTag, Plants: selection, Tag: "rare"}
	body := made.Batch{OneOf: made.NewSetTagBatchBatchSum(action)}
	reply := must(client.BatchPlants(ctx, &body)).(*made.BatchReportHeaders)
	return fmt.Sprintf("%d changed", reply.Response.Changed)
}

func export(client *made.Client) string {
	reply := must(client.ExportPlants(ctx, made.ExportPlantsParams{}))
	if csv, ok := reply.(*made.ExportPlantsOKTextCsvHeaders); ok {
		return string(must(io.ReadAll(csv.Response)))
	}
	return string(must(io.ReadAll(reply.(*made.ExportPlantsOKApplicationXNdjsonHeaders).Response)))
}

func imported(body made.ImportPlantsReq) string {
	reply := must(client.ImportPlants(ctx, body, made.ImportPlantsParams{})).(*made.ImportReportHeaders)
	return fmt.Sprintf("%d created", reply.Response.Created)
}

func changes() string {
	order := made.NewOptOrder(made.OrderDesc)
	params := made.ListChangesParams{Limit: made.NewOptInt32(3), Order: order}
	page := must(client.ListChanges(ctx, params)).(*made.ListChangesOKApplicationJSONHeaders).Response
	return each(page, func(change made.Change) string { return string(change.Kind) + " " + stored(change.Plant.Value) })
}

func webhook() string {
	address := must(url.Parse("https://plants.invalid/hook"))
	body := made.NewWebhook{URL: made.WebhookUrl(*address), Events: made.WebhookEvents{"plant.deleted"}}
	reply := must(client.CreateWebhook(ctx, &body)).(*made.WebhookWithSecretHeaders).Response
	hook := url.URL(reply.URL)
	return fmt.Sprintf("%s %t %s", hook.String(), reply.Enabled, reply.Secret[:6])
}

func failures() string {
	unknown := must(client.GetPlant(ctx, made.GetPlantParams{ID: 5})).(*made.PlantUnknownHeaders)
	taken := must(client.CreatePlant(ctx, &made.NewPlant{ID: lowest, Name: "Other"})).(*made.ConflictHeaders)
	return fmt.Sprintf("%d %d", unknown.Response.Error, taken.Response.Error)
}

func main() {
	filter := made.PlantFilter{Tag: made.NewOptString(tag)}
	accept := "an `http.RoundTripper` that sets `Accept`"
	loop(map[string]call{
		"create":           {run: create},
		"get":              {run: func() string { return each(ids, get) }},
		"list":             {run: list},
		"patch":            {run: patch},
		"delete":           {run: remove},
		"batch of ids":      {run: func() string { return batch(made.NewPlantIdsPlantSelection(ids)) }},
		"batch of a filter": {run: func() string { return batch(made.NewPlantFilterPlantSelection(filter)) }},
		"export CSV":        {run: func() string { return export(client) }},
		"export CSV/other":  {accept, func() string { return export(open(setting{"Accept": "text/csv"})) }},
		"export NDJSON":     {run: func() string { return export(client) }},
		"import CSV":        {run: func() string { return imported(&made.ImportPlantsReqTextCsv{Data: strings.NewReader(csv)}) }},
		"import NDJSON":     {run: func() string { return imported(&made.ImportPlantsReqApplicationXNdjson{Data: strings.NewReader(ndjson)}) }},
		"changes":           {run: changes},
		"webhook":           {run: webhook},
		"error":             {run: failures},
	})
}
