import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.EventsApi;
import org.openapitools.client.api.PetsApi;
import org.openapitools.client.api.StoreApi;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.ErrorCode;
import org.openapitools.client.model.NewOrder;
import org.openapitools.client.model.NewPet;
import org.openapitools.client.model.OrderStatus;
import org.openapitools.client.model.Pet;
import org.openapitools.client.model.PetPatch;

/** The client of openapi-generator for Java, with the HTTP client of the JDK. */
public class Program {
  private static final long EXACT = 9007199254740993L;
  private static final Pattern CURSOR = Pattern.compile("[?&]cursor=([^&>]+)");

  private interface Call {
    void run() throws ApiException;
  }

  private static ApiClient client(String key) {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }

  private static void check(boolean holds, Object seen) {
    if (!holds) throw new AssertionError(seen);
  }

  private static void expect(String step, ErrorCode code, Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException refused) {
      var body = ApiClient.createDefaultObjectMapper().readValue(refused.getResponseBody(), Error.class);
      check(body.getMessage() != null, refused);
      check(body.getCode() == code && String.valueOf(refused.getCode()).equals(step), refused);
      System.out.println(step);
      return;
    }
    throw new AssertionError(step + ": the call succeeded");
  }

  private static NewPet pet(String name, long category) {
    return new NewPet().name(name).categoryId(category);
  }

  private static ApiResponse<List<Pet>> list(PetsApi pets, Integer limit, List<Long> id, String cursor)
      throws ApiException {
    return pets.listPetsWithHttpInfo(limit, null, id, null, null, cursor, null, null);
  }

  public static void main(String[] args) throws Exception {
    var authenticated = client(System.getenv("API_KEY"));
    var pets = new PetsApi(authenticated);
    var store = new StoreApi(authenticated);

    var pet = pets.createPet(pet("Generated", EXACT), null, null);
    var found = list(pets, null, List.of(pet.getId()), null).getData();
    check(found.get(0).getCategoryId() == EXACT, found);
    System.out.println("exact");

    var created = new ArrayList<Long>();
    for (var name : List.of("One", "Two", "Three")) {
      created.add(pets.createPet(pet(name, 3), null, null).getId());
    }
    var seen = new ArrayList<Long>();
    for (String cursor = null; ; ) {
      var page = list(pets, 1, created, cursor);
      page.getData().forEach(item -> seen.add(item.getId()));
      var link = CURSOR.matcher(String.join(",", page.getHeaders().getOrDefault("link", List.of())));
      if (!link.find()) break;
      cursor = link.group(1);
    }
    check(seen.equals(created), seen);
    System.out.println("pages");

    expect("400", ErrorCode.BODY_INVALID, () -> store.placeOrder(new NewOrder().petId(EXACT), null, null));
    var stranger = new PetsApi(client("pet_live_unknown"));
    expect("401", ErrorCode.KEY_INVALID, () -> list(stranger, null, null, null));
    expect("404", ErrorCode.ORDER_NOT_FOUND, () -> store.getOrder(EXACT, null, null));

    var wanted = new NewOrder().petId(pet.getId());
    var order = store.placeOrder(wanted, null, null);
    expect("409", ErrorCode.PET_NOT_AVAILABLE, () -> store.placeOrder(wanted, null, null));
    var cancelled = store.cancelOrder(order.getId(), null, null);
    check(cancelled.getStatus() == OrderStatus.CANCELLED, cancelled);
    System.out.println("cancel");

    order = store.placeOrder(wanted, null, null);
    store.approveOrder(order.getId(), null, null);
    var delivered = store.deliverOrder(order.getId(), null, null);
    check(delivered.getStatus() == OrderStatus.DELIVERED, delivered);
    System.out.println("orders");

    var key = UUID.randomUUID().toString();
    var first = pets.createPet(pet("Once", 3), key, null);
    check(first.equals(pets.createPet(pet("Once", 3), key, null)), first);
    System.out.println("repeat");

    var updated = created.get(0);
    var patch = new PetPatch().name("Renamed");
    check(pets.updatePet(updated, patch, null, null, null).getName().equals("Renamed"), updated);
    System.out.println("update");
    expect("412", ErrorCode.PRECONDITION_FAILED, () -> pets.updatePet(updated, patch, "\"stale\"", null, null));
    pets.deletePet(updated, null, null, null);
    check(list(pets, null, created, null).getData().size() == 2, updated);
    System.out.println("delete");
    var events = new EventsApi(authenticated)
        .listEvents(null, null, "pets/" + updated, null, null, null, null);
    check(events.get(2).getType().equals("pet.deleted"), events);
    System.out.println("events");
  }
}
