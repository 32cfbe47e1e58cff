"""The client of openapi-generator for Python."""
import os
import re
import uuid

import openapi_client as petstore

EXACT = 9007199254740993


def client(key):
    configuration = petstore.Configuration(host=os.environ["BASE_URL"], access_token=key)
    return petstore.ApiClient(configuration)


def expect(step, status, code, call):
    try:
        call()
    except petstore.ApiException as refused:
        assert (refused.status, refused.data.code) == (status, code), refused
        print(step)
        return
    raise AssertionError(f"{step}: the call succeeded")


authenticated = client(os.environ["API_KEY"])
pets = petstore.PetsApi(authenticated)
store = petstore.StoreApi(authenticated)

pet = pets.create_pet(petstore.NewPet(name="Generated", categoryId=EXACT))
assert pets.list_pets(id=[pet.id])[0].category_id == EXACT
print("exact")

created = [pets.create_pet(petstore.NewPet(name=f"Page {n}", categoryId=3)).id for n in range(3)]
seen, cursor = [], None
while True:
    page = pets.list_pets_with_http_info(limit=1, id=created, cursor=cursor)
    seen += [item.id for item in page.data]
    link = re.search(r"[?&]cursor=([^&>]+)", page.headers.get("Link", ""))
    if link is None:
        break
    cursor = link.group(1)
assert seen == created, seen
print("pages")

unknown = petstore.NewOrder(petId=EXACT)
expect("400", 400, "body_invalid", lambda: store.place_order(unknown))
expect("401", 401, "key_invalid", petstore.PetsApi(client("pet_live_unknown")).list_pets)
expect("404", 404, "order_not_found", lambda: store.get_order(EXACT))

wanted = petstore.NewOrder(petId=pet.id)
order = store.place_order(wanted)
expect("409", 409, "pet_not_available", lambda: store.place_order(wanted))
assert store.cancel_order(order.id).status == petstore.OrderStatus.CANCELLED
print("cancel")

order = store.place_order(wanted)
store.approve_order(order.id)
assert store.deliver_order(order.id).status == petstore.OrderStatus.DELIVERED
print("orders")

key = str(uuid.uuid4())
twice = [pets.create_pet(petstore.NewPet(name="Once", categoryId=3), idempotency_key=key) for _ in range(2)]
assert twice[0].id == twice[1].id
print("repeat")

renamed = petstore.PetPatch(name="Renamed")
assert pets.update_pet(created[0], renamed).name == "Renamed"
print("update")
expect("412", 412, "precondition_failed", lambda: pets.update_pet(created[0], renamed, if_match='"stale"'))
pets.delete_pet(created[0])
assert [item.id for item in pets.list_pets(id=created)] == created[1:]
print("delete")
events = petstore.EventsApi(authenticated).list_events(resource=f"pets/{created[0]}")
assert [event.type for event in events] == ["pet.created", "pet.updated", "pet.deleted"], events
print("events")
