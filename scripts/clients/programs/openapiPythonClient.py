"""The client of openapi-python-client."""
import os
import re
import uuid

from pet_store_client import AuthenticatedClient
from pet_store_client.api.events import list_events
from pet_store_client.api.pets import create_pet, delete_pet, list_pets, update_pet
from pet_store_client.api.store import approve_order, cancel_order, deliver_order, get_order, place_order
from pet_store_client.models import Error, NewOrder, NewPet, PetPatch

EXACT = 9007199254740993


def client(key):
    return AuthenticatedClient(base_url=os.environ["BASE_URL"], token=key)


def expect(step, status, code, answer):
    assert isinstance(answer.parsed, Error), answer
    assert (answer.status_code, answer.parsed.code) == (status, code), answer
    print(step)


petstore = client(os.environ["API_KEY"])

pet = create_pet.sync(client=petstore, body=NewPet(name="Generated", category_id=EXACT))
assert list_pets.sync(client=petstore, id=[pet.id])[0].category_id == EXACT
print("exact")

created = [
    create_pet.sync(client=petstore, body=NewPet(name=f"Page {n}", category_id=3)).id for n in range(3)
]
seen, more = [], {}
while True:
    page = list_pets.sync_detailed(client=petstore, limit=1, id=created, **more)
    seen += [item.id for item in page.parsed]
    link = re.search(r"[?&]cursor=([^&>]+)", page.headers.get("Link", ""))
    if link is None:
        break
    more = {"cursor": link.group(1)}
assert seen == created, seen
print("pages")

unknown = NewOrder(pet_id=EXACT)
expect("400", 400, "body_invalid", place_order.sync_detailed(client=petstore, body=unknown))
expect("401", 401, "key_invalid", list_pets.sync_detailed(client=client("pet_live_unknown")))
expect("404", 404, "order_not_found", get_order.sync_detailed(EXACT, client=petstore))

wanted = NewOrder(pet_id=pet.id)
order = place_order.sync(client=petstore, body=wanted)
expect("409", 409, "pet_not_available", place_order.sync_detailed(client=petstore, body=wanted))
assert cancel_order.sync(order.id, client=petstore).status == "cancelled"
print("cancel")

order = place_order.sync(client=petstore, body=wanted)
approve_order.sync(order.id, client=petstore)
assert deliver_order.sync(order.id, client=petstore).status == "delivered"
print("orders")

once = {"body": NewPet(name="Once", category_id=3), "idempotency_key": str(uuid.uuid4())}
assert create_pet.sync(client=petstore, **once).id == create_pet.sync(client=petstore, **once).id
print("repeat")

renamed = PetPatch(name="Renamed")
assert update_pet.sync(created[0], client=petstore, body=renamed).name == "Renamed"
print("update")
stale = update_pet.sync_detailed(created[0], client=petstore, body=renamed, if_match='"stale"')
expect("412", 412, "precondition_failed", stale)
assert delete_pet.sync_detailed(created[0], client=petstore).status_code == 204
assert [item.id for item in list_pets.sync(client=petstore, id=created)] == created[1:]
print("delete")
events = list_events.sync(client=petstore, resource=f"pets/{created[0]}")
assert [event.type_ for event in events] == ["pet.created", "pet.updated", "pet.deleted"], events
print("events")
