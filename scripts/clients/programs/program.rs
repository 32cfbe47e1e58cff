//! The client of openapi-generator for Rust. Its functions return no headers, so it cannot page.
use petstore_client::apis::configuration::Configuration;
use petstore_client::apis::events_api::list_events;
use petstore_client::apis::pets_api::{
    create_pet, delete_pet, list_pets, update_pet, CreatePetError, ListPetsError, UpdatePetError,
};
use petstore_client::apis::store_api::{
    approve_order, cancel_order, deliver_order, get_order, place_order, GetOrderError, PlaceOrderError,
};
use petstore_client::apis::Error as Refused;
use petstore_client::models::{Error, ErrorCode, NewOrder, NewPet, OrderStatus, PetPatch};

const EXACT: i64 = 9007199254740993;

fn client(key: String) -> Configuration {
    Configuration {
        base_path: std::env::var("BASE_URL").unwrap(),
        bearer_access_token: Some(key),
        ..Configuration::new()
    }
}

fn expect<T, E>(step: &str, code: ErrorCode, result: Result<T, Refused<E>>, body: fn(E) -> Option<Error>) {
    let Err(Refused::ResponseError(refused)) = result else {
        panic!("{step}: not refused");
    };
    assert_eq!(refused.status.as_str(), step, "{}", refused.content);
    let error = refused.entity.and_then(body).expect("a typed error");
    assert_eq!(error.code, code, "{}", refused.content);
    println!("{step}");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let petstore = client(std::env::var("API_KEY")?);

    let pet = create_pet(&petstore, NewPet::new("Generated".into(), EXACT), None, None).await?;
    let found = list_pets(&petstore, None, None, Some(vec![pet.id]), None, None, None, None, None).await?;
    assert_eq!(found[0].category_id, EXACT);
    println!("exact");

    let unknown = place_order(&petstore, NewOrder::new(EXACT), None, None).await;
    expect("400", ErrorCode::BodyInvalid, unknown, |error| match error {
        PlaceOrderError::Status400(body) => Some(body),
        _ => None,
    });
    let stranger = client("pet_live_unknown".into());
    let refused = list_pets(&stranger, None, None, None, None, None, None, None, None).await;
    // The errors of an operation have one shape, so the first of them is the one that is parsed.
    expect("401", ErrorCode::KeyInvalid, refused, |error| match error {
        ListPetsError::Status400(body) | ListPetsError::Status401(body) => Some(body),
        _ => None,
    });
    let missing = get_order(&petstore, EXACT, None, None).await;
    expect("404", ErrorCode::OrderNotFound, missing, |error| match error {
        GetOrderError::Status400(body) | GetOrderError::Status404(body) => Some(body),
        _ => None,
    });

    let order = place_order(&petstore, NewOrder::new(pet.id), None, None).await?;
    let again = place_order(&petstore, NewOrder::new(pet.id), None, None).await;
    expect("409", ErrorCode::PetNotAvailable, again, |error| match error {
        PlaceOrderError::Status400(body) | PlaceOrderError::Status409(body) => Some(body),
        _ => None,
    });
    let cancelled = cancel_order(&petstore, order.id, None, None).await?;
    assert_eq!(cancelled.status, OrderStatus::Cancelled);
    println!("cancel");

    let order = place_order(&petstore, NewOrder::new(pet.id), None, None).await?;
    approve_order(&petstore, order.id, None, None).await?;
    let delivered = deliver_order(&petstore, order.id, None, None).await?;
    assert_eq!(delivered.status, OrderStatus::Delivered);
    println!("orders");

    let key = format!("rust-{}", pet.id);
    let once = || async {
        let created: Result<_, Refused<CreatePetError>> =
            create_pet(&petstore, NewPet::new("Once".into(), 3), Some(&key), None).await;
        created
    };
    let repeated = once().await?.id;
    assert_eq!(repeated, once().await?.id);
    println!("repeat");

    let patch = || PetPatch { name: Some("Renamed".into()), ..PetPatch::new() };
    assert_eq!(update_pet(&petstore, repeated, patch(), None, None, None).await?.name, "Renamed");
    println!("update");
    let stale = update_pet(&petstore, repeated, patch(), Some("\"stale\""), None, None).await;
    expect("412", ErrorCode::PreconditionFailed, stale, |error| match error {
        UpdatePetError::Status400(body) | UpdatePetError::Status412(body) => Some(body),
        _ => None,
    });
    delete_pet(&petstore, repeated, None, None, None).await?;
    let left = list_pets(&petstore, None, None, Some(vec![repeated]), None, None, None, None, None).await?;
    assert!(left.is_empty());
    println!("delete");
    let resource = format!("pets/{repeated}");
    let events = list_events(&petstore, None, None, Some(&resource), None, None, None, None).await?;
    assert_eq!(events.last().unwrap().r#type, "pet.deleted");
    println!("events");
    Ok(())
}
