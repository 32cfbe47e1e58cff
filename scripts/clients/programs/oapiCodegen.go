// The client of oapi-codegen.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"

	petstore "petstore-client/client"
)

const exact = 9007199254740993

var cursorOf = regexp.MustCompile(`[?&]cursor=([^&>]+)`)

func client(key string) *petstore.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	made, err := petstore.NewClientWithResponses(os.Getenv("BASE_URL"), petstore.WithRequestEditorFn(authorize))
	check(err == nil, err)
	return made
}

func check(holds bool, seen ...any) {
	if !holds {
		panic(fmt.Sprint(seen...))
	}
}

func must[T any](value T, err error) T {
	check(err == nil, err)
	return value
}

func expect(step string, code petstore.ErrorCode, refused *petstore.Error) {
	check(refused != nil, step, ": no typed error")
	check(refused.Code == code && fmt.Sprint(refused.Status) == step, step, *refused)
	fmt.Println(step)
}

func main() {
	api, ctx := client(os.Getenv("API_KEY")), context.Background()
	create := func(name string, category int64) int64 {
		created := must(api.CreatePetWithResponse(ctx, nil, petstore.NewPet{Name: name, CategoryId: category}))
		check(created.JSON201 != nil, string(created.Body))
		return created.JSON201.Id
	}

	pet := create("Generated", exact)
	found := must(api.ListPetsWithResponse(ctx, &petstore.ListPetsParams{Id: &petstore.Id{pet}}))
	check((*found.JSON200)[0].CategoryId == exact, string(found.Body))
	fmt.Println("exact")

	created := petstore.Id{create("One", 3), create("Two", 3), create("Three", 3)}
	seen, limit := petstore.Id{}, 1
	for asked := (&petstore.ListPetsParams{Id: &created, Limit: &limit}); ; {
		page := must(api.ListPetsWithResponse(ctx, asked))
		check(page.JSON200 != nil, string(page.Body))
		for _, item := range *page.JSON200 {
			seen = append(seen, item.Id)
		}
		cursor := cursorOf.FindStringSubmatch(page.HTTPResponse.Header.Get("Link"))
		if cursor == nil {
			break
		}
		asked.Cursor = &cursor[1]
	}
	check(fmt.Sprint(seen) == fmt.Sprint(created), seen)
	fmt.Println("pages")

	unknown := must(api.PlaceOrderWithResponse(ctx, nil, petstore.NewOrder{PetId: exact}))
	expect("400", petstore.BodyInvalid, unknown.JSON400)
	expect("401", petstore.KeyInvalid, must(client("pet_live_unknown").ListPetsWithResponse(ctx, nil)).JSON401)
	expect("404", petstore.OrderNotFound, must(api.GetOrderWithResponse(ctx, exact, nil)).JSON404)

	wanted := petstore.NewOrder{PetId: pet}
	order := must(api.PlaceOrderWithResponse(ctx, nil, wanted)).JSON201
	expect("409", petstore.PetNotAvailable, must(api.PlaceOrderWithResponse(ctx, nil, wanted)).JSON409)
	cancelled := must(api.CancelOrderWithResponse(ctx, order.Id, nil))
	check(cancelled.JSON200 != nil && cancelled.JSON200.Status == petstore.Cancelled, string(cancelled.Body))
	fmt.Println("cancel")

	order = must(api.PlaceOrderWithResponse(ctx, nil, wanted)).JSON201
	must(api.ApproveOrderWithResponse(ctx, order.Id, nil))
	delivered := must(api.DeliverOrderWithResponse(ctx, order.Id, nil))
	check(delivered.JSON200 != nil && delivered.JSON200.Status == petstore.Delivered, string(delivered.Body))
	fmt.Println("orders")

	key := fmt.Sprint("oapi-codegen-", pet)
	once := func() *petstore.Pet {
		params := &petstore.CreatePetParams{IdempotencyKey: &key}
		return must(api.CreatePetWithResponse(ctx, params, petstore.NewPet{Name: "Once", CategoryId: 3})).JSON201
	}
	check(once().Id == once().Id)
	fmt.Println("repeat")

	name, stale := "Renamed", `"stale"`
	patch := petstore.PetPatch{Name: &name}
	updated := must(api.UpdatePetWithResponse(ctx, created[0], nil, patch))
	check(updated.JSON200 != nil && updated.JSON200.Name == name, string(updated.Body))
	fmt.Println("update")
	tagged := &petstore.UpdatePetParams{IfMatch: &stale}
	expect("412", petstore.PreconditionFailed, must(api.UpdatePetWithResponse(ctx, created[0], tagged, patch)).JSON412)
	check(must(api.DeletePetWithResponse(ctx, created[0], nil)).StatusCode() == http.StatusNoContent)
	check(len(*must(api.ListPetsWithResponse(ctx, &petstore.ListPetsParams{Id: &created})).JSON200) == 2)
	fmt.Println("delete")
	resource := fmt.Sprint("pets/", created[0])
	events := must(api.ListEventsWithResponse(ctx, &petstore.ListEventsParams{Resource: &resource}))
	check(events.JSON200 != nil && (*events.JSON200)[2].Type == "pet.deleted", string(events.Body))
	fmt.Println("events")
}
