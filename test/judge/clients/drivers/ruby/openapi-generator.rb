# Calls the Ruby client of openapi-generator.
require 'cgi'
require 'json'
require 'uri'
require 'openapi_client'

Made = OpenapiClient
Made.configure do |configuration|
  url = URI(ENV.fetch('PLANT_STORE_URL'))
  configuration.host = "#{url.host}:#{url.port}"
  configuration.access_token = ENV.fetch('PLANT_STORE_TOKEN')
  configuration.logger = Logger.new($stderr)
end

PLANTS = Made::PlantsApi.new
BULK = Made::BulkApi.new
CHANGES = Made::ChangesApi.new
WEBHOOKS = Made::WebhooksApi.new

LOWEST, ROUNDED, HIGHEST = IDS = [-(2**63), 2**53 + 1, 2**63 - 1].freeze
ROWS = [[LOWEST, 'Käthe', 'Bäume'], [ROUNDED, 'Käthe', 'Bäume'], [HIGHEST, 'Käthe', nil]].freeze
CSV = "id,name,tag\r\n" + ROWS.map { |row| "#{row.join(',')}\r\n" }.join
NDJSON = ROWS.map { |id, name, tag| "#{{ id: id, name: name, tag: tag }.compact.to_json}\n" }.join

def members(plant) = "#{plant.name} #{plant.tag || '-'}"

def text(plant) = "#{plant.id} #{members(plant)}"

def page(plants) = plants.map { |plant| text(plant) }.join(', ')

def create
  ROWS.map do |id, name, tag|
    body = Made::NewPlant.new({ id: id, name: name, tag: tag }.compact)
    members(PLANTS.create_plant(body))
  end.join(', ')
end

def list
  first, _, headers = PLANTS.list_plants_with_http_info(limit: 2)
  cursor = CGI.unescape(headers['Link'][/cursor=([^&>]+)/, 1])
  "#{page(first)} | #{page(PLANTS.list_plants(limit: 2, cursor: cursor))}"
end

def delete
  PLANTS.delete_plant(ROUNDED)
  'deleted'
end

def batch(selection)
  "#{BULK.batch_plants(Made::SetTagBatch.new(action: 'setTag', plants: selection, tag: 'rare')).changed} changed"
end

def export(media_type) = BULK.export_plants(header_params: { 'Accept' => media_type }).force_encoding('UTF-8')

def import(rows, media_type) = "#{BULK.import_plants(rows, header_params: { 'Content-Type' => media_type }).created} created"

# The generated function sets Content-Type itself; call_api is what it calls.
def import_by_hand(rows, media_type)
  options = { header_params: { 'Content-Type' => media_type, 'Accept' => 'application/json' }, body: rows,
              auth_names: ['bearerAuth'], return_type: 'ImportReport' }
  report, = BULK.api_client.call_api(:POST, '/plants/import', options)
  "#{report.created} created"
end

def changes
  CHANGES.list_changes(limit: 3, order: 'desc').map { |change| "#{change.kind} #{text(change.plant)}" }.join(', ')
end

def webhook
  hook = WEBHOOKS.create_webhook(Made::NewWebhook.new(url: 'https://plants.invalid/hook', events: ['plant.deleted']))
  "#{hook.url} #{hook.enabled} #{hook.secret[0, 6]}"
end

def number
  yield
rescue Made::ApiError => e
  Made::Error.build_from_hash(JSON.parse(e.response_body, symbolize_names: true)).error
end

def errors
  taken = Made::NewPlant.new(id: LOWEST, name: 'Other')
  "#{number { PLANTS.get_plant(5) }} #{number { PLANTS.create_plant(taken) }}"
end

CALLS = {
  'create' => -> { create },
  'get' => -> { page(IDS.map { |id| PLANTS.get_plant(id) }) },
  'list' => -> { list },
  'patch' => -> { text(PLANTS.patch_plant(ROUNDED, Made::PlantPatch.new(tag: nil))) },
  'delete' => -> { delete },
  'batch of ids' => -> { batch(IDS) },
  'batch of a filter' => -> { batch(Made::PlantFilter.new(tag: 'Bäume')) },
  'export CSV' => -> { BULK.export_plants.force_encoding('UTF-8') },
  'export CSV/other' => -> { export('text/csv') },
  'export NDJSON' => -> { BULK.export_plants.force_encoding('UTF-8') },
  'import CSV' => -> { import(CSV, 'text/csv') },
  'import CSV/other' => -> { import_by_hand(CSV, 'text/csv') },
  'import NDJSON' => -> { import(NDJSON, 'application/x-ndjson') },
  'changes' => -> { changes },
  'webhook' => -> { webhook },
  'error' => -> { errors }
}.freeze
HOW = { 'export CSV/other' => '`header_params`', 'import CSV/other' => '`api_client.call_api`' }.freeze

$stdout.sync = true
$stdin.each_line(chomp: true) do |name|
  puts({ got: CALLS.fetch(name).call, how: HOW[name] }.compact.to_json)
rescue StandardError => e
  puts({ failed: "#{e.class}: #{e.message}" }.to_json)
end
