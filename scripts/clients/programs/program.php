<?php
// The client of openapi-generator for PHP. Debian's Guzzle has an autoloader of its own.
require_once '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/client/lib/' . str_replace('\\', '/', substr($class, strlen('OpenAPI\\Client\\'))) . '.php';
    if (str_starts_with($class, 'OpenAPI\\Client\\') && is_file($file)) require $file;
});

use OpenAPI\Client\Api\EventsApi;
use OpenAPI\Client\Api\PetsApi;
use OpenAPI\Client\Api\StoreApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\ErrorCode;
use OpenAPI\Client\Model\NewOrder;
use OpenAPI\Client\Model\NewPet;
use OpenAPI\Client\Model\OrderStatus;
use OpenAPI\Client\Model\PetPatch;

const EXACT = 9007199254740993;

function client(string $api, string $key): object
{
    $configuration = (new Configuration())->setHost(getenv('BASE_URL'))->setAccessToken($key);
    return new $api(new GuzzleHttp\Client(), $configuration);
}

function check(bool $holds, mixed $seen): void
{
    if (!$holds) throw new Exception(print_r($seen, true));
}

function expect(string $step, string $code, callable $call): void
{
    try {
        $call();
    } catch (ApiException $refused) {
        $body = $refused->getResponseObject();
        check($body?->getCode() === $code && (string) $refused->getCode() === $step, $refused->getMessage());
        echo "$step\n";
        return;
    }
    throw new Exception("$step: the call succeeded");
}

// With its setters, which apply the patterns of the contract.
function pet(string $name, int $category): NewPet
{
    return (new NewPet())->setName($name)->setCategoryId($category);
}

$pets = client(PetsApi::class, getenv('API_KEY'));
$store = client(StoreApi::class, getenv('API_KEY'));

$pet = $pets->createPet(pet('Generated', EXACT));
check($pets->listPets(id: [$pet->getId()])[0]->getCategoryId() === EXACT, $pet);
echo "exact\n";

$created = array_map(fn ($name) => $pets->createPet(pet($name, 3))->getId(), ['One', 'Two', 'Three']);
$seen = [];
$cursor = null;
do {
    [$page, , $headers] = $pets->listPetsWithHttpInfo(limit: 1, id: $created, cursor: $cursor);
    array_push($seen, ...array_map(fn ($item) => $item->getId(), $page));
    $more = preg_match('/[?&]cursor=([^&>]+)/', $headers['Link'][0] ?? '', $found);
    $cursor = $found[1] ?? null;
} while ($more);
check($seen === $created, $seen);
echo "pages\n";

expect('400', ErrorCode::BODY_INVALID, fn () => $store->placeOrder((new NewOrder())->setPetId(EXACT)));
$stranger = client(PetsApi::class, 'pet_live_unknown');
expect('401', ErrorCode::KEY_INVALID, fn () => $stranger->listPets());
expect('404', ErrorCode::ORDER_NOT_FOUND, fn () => $store->getOrder(EXACT));

$wanted = (new NewOrder())->setPetId($pet->getId());
$order = $store->placeOrder($wanted);
expect('409', ErrorCode::PET_NOT_AVAILABLE, fn () => $store->placeOrder($wanted));
$cancelled = $store->cancelOrder($order->getId());
check($cancelled->getStatus() === OrderStatus::CANCELLED, $cancelled);
echo "cancel\n";

$order = $store->placeOrder($wanted);
$store->approveOrder($order->getId());
$delivered = $store->deliverOrder($order->getId());
check($delivered->getStatus() === OrderStatus::DELIVERED, $delivered);
echo "orders\n";

$key = bin2hex(random_bytes(16));
check($pets->createPet(pet('Once', 3), $key)->getId() === $pets->createPet(pet('Once', 3), $key)->getId(), $key);
echo "repeat\n";

$patch = (new PetPatch())->setName('Renamed');
check($pets->updatePet($created[0], $patch)->getName() === 'Renamed', $created);
echo "update\n";
expect('412', ErrorCode::PRECONDITION_FAILED, fn () => $pets->updatePet($created[0], $patch, '"stale"'));
$pets->deletePet($created[0]);
check(count($pets->listPets(id: $created)) === 2, $created);
echo "delete\n";
$events = client(EventsApi::class, getenv('API_KEY'))->listEvents(resource: "pets/$created[0]");
check(end($events)->getType() === 'pet.deleted', $events);
echo "events\n";
