<?php
// Calls the PHP client of openapi-generator.
set_error_handler(fn($level, $message) => throw new ErrorException($message));
require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function (string $name): void {
    $path = str_replace(['OpenAPI\\Client\\', '\\'], ['client/lib/', '/'], $name) . '.php';
    if (str_starts_with($name, 'OpenAPI\\Client\\') && is_file($path)) require $path;
});

use OpenAPI\Client\Api;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model;

$configuration = (new Configuration())->setHost(getenv('PLANT_STORE_URL'))->setAccessToken(getenv('PLANT_STORE_TOKEN'));
$http = new GuzzleHttp\Client();
$plants = new Api\PlantsApi($http, $configuration);
$bulk = new Api\BulkApi($http, $configuration);
$changes = new Api\ChangesApi($http, $configuration);
$webhooks = new Api\WebhooksApi($http, $configuration);

[$lowest, $rounded, $highest] = $ids = [PHP_INT_MIN, 2 ** 53 + 1, PHP_INT_MAX];
$rows = [[$lowest, 'Käthe', 'Bäume'], [$rounded, 'Käthe', 'Bäume'], [$highest, 'Käthe', null]];
$csv = "id,name,tag\r\n" . implode('', array_map(fn($row) => implode(',', $row) . "\r\n", $rows));
$ndjson = implode('', array_map(fn($row) => json_encode(toMembers($row), JSON_UNESCAPED_UNICODE) . "\n", $rows));

function toMembers(array $row): array
{
    return array_filter(['id' => $row[0], 'name' => $row[1], 'tag' => $row[2]], fn($value) => $value !== null);
}

function members($plant): string
{
    return $plant->getName() . ' ' . ($plant->getTag() ?? '-');
}

function text($plant): string
{
    return $plant->getId() . ' ' . members($plant);
}

function page(array $plants): string
{
    return implode(', ', array_map('text', $plants));
}

function twoPages(Api\PlantsApi $plants, string $field): string
{
    [$first, , $headers] = $plants->listPlantsWithHttpInfo(2);
    preg_match('/cursor=([^&>]+)/', $headers[$field][0], $found);
    return page($first) . ' | ' . page($plants->listPlants(2, urldecode($found[1])));
}

function batch(Api\BulkApi $bulk, $selection): string
{
    $body = new Model\SetTagBatch(['action' => 'setTag', 'plants' => $selection, 'tag' => 'rare']);
    return $bulk->batchPlants($body)->getChanged() . ' changed';
}

/** The request that the function would send, with another Accept. */
function exportAs(string $mediaType, Api\BulkApi $bulk, GuzzleHttp\Client $http): string
{
    return (string) $http->send($bulk->exportPlantsRequest()->withHeader('Accept', $mediaType))->getBody();
}

function remove(Api\PlantsApi $plants, int $id): string
{
    $plants->deletePlant($id);
    return 'deleted';
}

function webhook(Api\WebhooksApi $webhooks): string
{
    $body = new Model\NewWebhook(['url' => 'https://plants.invalid/hook', 'events' => ['plant.deleted']]);
    $hook = $webhooks->createWebhook($body);
    return $hook->getUrl() . ' ' . json_encode($hook->getEnabled()) . ' ' . substr($hook->getSecret(), 0, 6);
}

function number(callable $call): int
{
    try {
        $call();
    } catch (ApiException $error) {
        return $error->getResponseObject()->getError();
    }
}

$create = function ($row) use ($plants): string {
    $body = new Model\NewPlant();
    $body->setId($row[0])->setName($row[1]);
    if ($row[2] !== null) $body->setTag($row[2]);
    return members($plants->createPlant($body));
};
$taken = new Model\NewPlant(['id' => $lowest, 'name' => 'Other']);
$calls = [
    'create' => fn() => implode(', ', array_map($create, $rows)),
    'get' => fn() => page(array_map(fn($id) => $plants->getPlant($id), $ids)),
    'list' => fn() => twoPages($plants, 'Link'),
    'list/other' => fn() => twoPages($plants, 'link'),
    'patch' => fn() => text($plants->patchPlant($rounded, new Model\PlantPatch(['tag' => null]))),
    'delete' => fn() => remove($plants, $rounded),
    'batch of ids' => fn() => batch($bulk, $ids),
    'batch of a filter' => fn() => batch($bulk, new Model\PlantFilter(['tag' => 'Bäume'])),
    'export CSV' => fn() => $bulk->exportPlants(),
    'export CSV/other' => fn() => exportAs('text/csv', $bulk, $http),
    'export NDJSON' => fn() => $bulk->exportPlants(),
    'import CSV' => fn() => $bulk->importPlants($csv, contentType: 'text/csv')->getCreated() . ' created',
    'import NDJSON' => fn() => $bulk->importPlants($ndjson)->getCreated() . ' created',
    'changes' => fn() => implode(', ', array_map(
        fn($change) => $change->getKind() . ' ' . text($change->getPlant()),
        $changes->listChanges(limit: 3, order: 'desc')
    )),
    'webhook' => fn() => webhook($webhooks),
    'error' => fn() => number(fn() => $plants->getPlant(5)) . ' ' . number(fn() => $plants->createPlant($taken)),
];
$how = [
    'list/other' => '`$headers["link"]`: the names are as they were sent',
    'export CSV/other' => '`exportPlantsRequest()->withHeader(…)`, sent with Guzzle',
];

while (($line = fgets(STDIN)) !== false) {
    $name = rtrim($line, "\n");
    try {
        $answer = isset($calls[$name]) ? ['got' => $calls[$name](), 'how' => $how[$name] ?? ''] : ['failed' => ''];
    } catch (Throwable $error) {
        $answer = ['failed' => get_class($error) . ': ' . $error->getMessage()];
    }
    echo json_encode($answer), "\n";
}
