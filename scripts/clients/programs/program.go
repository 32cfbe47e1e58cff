// The client of openapi-generator for Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"

	petstore "github.com/petstore/petstore-client"
)

const exact = 9007199254740993

var cursorOf = regexp.MustCompile(`[?&]cursor=([^&>]+)`)

func client(key string) (*petstore.APIClient, context.Context) {
	configuration := petstore.NewConfiguration()
	configuration.Servers = petstore.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	return petstore.NewAPIClient(configuration), context.WithValue(context.Background(), petstore.ContextAccessToken, key)
}

func check(holds bool, seen ...any) {
	if !holds {
		panic(fmt.Sprint(seen...))
	}
}

func must[T any, R any](value T, _ R, err error) T {
	check(err == nil, err)
	return value
}

func expect(step string, code petstore.ErrorCode, err error) {
	var refused *petstore.GenericOpenAPIError
	check(errors.As(err, &refused), step, err)
	body, typed := refused.Model().(petstore.Error)
	check(typed && body.GetCode() == code && fmt.Sprint(body.GetStatus()) == step, step, string(refused.Body()), err)
	fmt.Println(step)
}

func main() {
	api, ctx := client(os.Getenv("API_KEY"))
	create := func(name string, category int64) *petstore.Pet {
		return must(api.PetsAPI.CreatePet(ctx).PetInput(*petstore.NewPetInput(name, category)).Execute())
	}

	pet := create("Generated", exact)
	check(must(api.PetsAPI.ListPets(ctx).Id([]int64{pet.Id}).Execute())[0].CategoryId == exact, pet)
	fmt.Println("exact")

	created := []int64{create("One", 3).Id, create("Two", 3).Id, create("Three", 3).Id}
	seen := []int64{}
	for asked := api.PetsAPI.ListPets(ctx).Limit(1).Id(created); ; {
		page, response, err := asked.Execute()
		check(err == nil, err)
		for _, item := range page {
			seen = append(seen, item.Id)
		}
		cursor := cursorOf.FindStringSubmatch(response.Header.Get("Link"))
		if cursor == nil {
			break
		}
		asked = asked.Cursor(cursor[1])
	}
	check(fmt.Sprint(seen) == fmt.Sprint(created), seen)
	fmt.Println("pages")

	_, _, err := api.StoreAPI.PlaceOrder(ctx).OrderInput(*petstore.NewOrderInput(exact)).Execute()
	expect("400", petstore.BODY_INVALID, err)
	other, unknown := client("pet_live_unknown")
	_, _, err = other.PetsAPI.ListPets(unknown).Execute()
	expect("401", petstore.KEY_INVALID, err)
	_, _, err = api.StoreAPI.GetOrder(ctx, exact).Execute()
	expect("404", petstore.ORDER_NOT_FOUND, err)

	wanted := api.StoreAPI.PlaceOrder(ctx).OrderInput(*petstore.NewOrderInput(pet.Id))
	order := must(wanted.Execute())
	_, _, err = wanted.Execute()
	expect("409", petstore.PET_NOT_AVAILABLE, err)
	cancelled := must(api.StoreAPI.CancelOrder(ctx, order.Id).Execute())
	check(cancelled.Status == petstore.CANCELLED, cancelled)
	fmt.Println("cancel")

	order = must(wanted.Execute())
	must(api.StoreAPI.ApproveOrder(ctx, order.Id).Execute())
	delivered := must(api.StoreAPI.DeliverOrder(ctx, order.Id).Execute())
	check(delivered.Status == petstore.DELIVERED, delivered)
	fmt.Println("orders")

	once := api.PetsAPI.CreatePet(ctx).PetInput(*petstore.NewPetInput("Once", 3)).IdempotencyKey(fmt.Sprint("go-", pet.Id))
	check(must(once.Execute()).Id == must(once.Execute()).Id)
	fmt.Println("repeat")

	patch := petstore.NewPetPatch()
	patch.SetName("Renamed")
	update := api.PetsAPI.UpdatePet(ctx, created[0]).PetPatch(*patch)
	check(must(update.Execute()).Name == "Renamed")
	fmt.Println("update")
	_, _, err = update.IfMatch(`"stale"`).Execute()
	expect("412", petstore.PRECONDITION_FAILED, err)
	_, err = api.PetsAPI.DeletePet(ctx, created[0]).Execute()
	check(err == nil, err)
	check(len(must(api.PetsAPI.ListPets(ctx).Id(created).Execute())) == 2)
	fmt.Println("delete")
	events := must(api.EventsAPI.ListEvents(ctx).Resource(fmt.Sprint("pets/", created[0])).Execute())
	check(len(events) == 3 && events[2].Type == "pet.deleted", events)
	fmt.Println("events")
}
