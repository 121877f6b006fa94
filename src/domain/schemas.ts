/** Generated from openapi.yaml by `npm run generate`. Do not edit. */

/** A plant without its identification number. */
export interface Plant {
  /**
   * The name of the plant: any Unicode text without U+0000, 0 to 1000 code points. A text with an
   * unpaired surrogate (half of a `\u` escape pair) is refused.
   */
  readonly name: string;
  /**
   * Tag that specifies the type; absent is different from "". Any Unicode text without U+0000, 0 to
   * 1000 code points; unpaired surrogates are refused.
   */
  readonly tag?: string;
}

/** A plant with its identification number, for requests. */
export interface NewPlant extends Plant {
  /**
   * Identification number of the plant: any int64. Any JSON number that is an integer in this range
   * is accepted, however it is written (`7`, `7.0`, `70e-1`), up to 40 characters; strings are
   * refused.
   */
  readonly id: bigint;
}

/** A plant with its identification number, for responses. */
export interface StoredPlant extends Plant {
  /** Identification number of the plant: any int64, in digits. */
  readonly id: bigint;
}

/** The members to update (JSON Merge Patch, RFC 7396). Absent members are not changed. */
export interface PlantPatch {
  /** The new name of the plant. It cannot be removed. */
  readonly name?: string;
  /** The new tag; null removes it. */
  readonly tag?: string | null;
}

/** One change of one plant. */
export interface Change {
  /**
   * Where the change is in the order of all changes. Opaque; compare it with nothing but itself.
   */
  readonly position: string;
  /** When it was written. */
  readonly at: string;
  /** What happened to the plant. */
  readonly kind: 'created' | 'replaced' | 'deleted';
  /** Identification number of the plant. */
  readonly id: bigint;
  /** The plant after the change; absent after a deletion. */
  readonly plant?: StoredPlant;
  /** The plant before the change; absent before a creation. */
  readonly before?: StoredPlant;
  /** The token that made the change; absent if none did. */
  readonly by?: Author;
  /** The batch or import that made the change; absent if none did. */
  readonly group?: GroupId;
}

/** The token that made a change. */
export interface Author {
  /** The id of the token; not a secret. */
  readonly token: string;
  /** The name of the token. */
  readonly name: string;
}

/** A tag and the number of plants that have it. */
export interface TagCount {
  /** The tag, exactly as stored; it may be empty. */
  readonly tag: string;
  /** The number of plants that have this tag. */
  readonly plants: bigint;
}

/** Result of an import. Each row is created, unchanged, replaced, skipped or refused. */
export interface ImportReport {
  /** Number of rows in the body. */
  readonly read: bigint;
  /** New plants. */
  readonly created: bigint;
  /** Rows equal to the stored plant. */
  readonly unchanged: bigint;
  /** Stored plants that a row replaced. */
  readonly replaced: bigint;
  /** Rows not stored, because their id exists with a different name or tag. */
  readonly skipped: bigint;
  /** Rows that could not be stored. */
  readonly refused: bigint;
  /** The first 1,000 refused rows, in the order of the body. */
  readonly errors: readonly ImportError[];
}

/** Why a row of an import was refused. */
export interface ImportError {
  /** The line on which the row begins; the first is 1. */
  readonly line: bigint;
  /** Numeric error value, int32, as in Error. */
  readonly error: number;
  /** Error message text. */
  readonly message: string;
}

/** One action on many plants. */
export type Batch = SetTagBatch | PlainBatch | RestoreBatch | UndoBatch;

/** Gives each plant this tag. */
export interface SetTagBatch {
  readonly action: 'setTag';
  readonly plants: PlantSelection;
  /** The new tag; it may be empty. */
  readonly tag: string;
  readonly group?: GroupId;
}

/** Removes the tag of each plant, or deletes the plants. */
export interface PlainBatch {
  readonly action: 'clearTag' | 'delete';
  readonly plants: PlantSelection;
  readonly group?: GroupId;
}

/** Restores deleted plants as they were when they were deleted. */
export interface RestoreBatch {
  readonly action: 'restore';
  readonly plants: PlantIds;
  readonly group?: GroupId;
}

/** Gives each plant that a group has changed the state that it had before. */
export interface UndoBatch {
  readonly action: 'undo';
  /** The group to undo, which is not that of this request. */
  readonly undoes: GroupId;
  readonly group?: GroupId;
}

/** Ids of plants; each counts once. */
export type PlantIds = readonly bigint[];

/** Ids of plants, or the conditions that all plants must meet. */
export type PlantSelection = PlantIds | PlantFilter;

/** The conditions that all plants must meet. */
export interface PlantFilter {
  /** Only true is accepted, for all plants that meet the other conditions, if there are any. */
  readonly all?: boolean;
  /** Exactly this tag. */
  readonly tag?: string;
  /** Only true is accepted, for plants without a tag. */
  readonly untagged?: boolean;
  /** Words that begin words of the name, as in `GET /plants`; at least one. */
  readonly name?: string;
  /** Parts of words of the name or the tag, as in `GET /plants`; at least one. */
  readonly search?: string;
  /** These plants, as a list of ids alone selects them; no other condition may be beside it. */
  readonly ids?: PlantIds;
}

/** Names the changes of one batch or import. */
export type GroupId = string;

/** Result of a batch so far. Each plant is changed, unchanged or refused. */
export interface BatchReport {
  /** The group of the changes. */
  readonly group: GroupId;
  /** Whether all selected plants are counted. */
  readonly done: boolean;
  /** Selected plants so far. */
  readonly read: bigint;
  /** Plants that the batch has changed. */
  readonly changed: bigint;
  /** Plants that are as wanted already, or that the group has changed before. */
  readonly unchanged: bigint;
  /** Plants that could not be changed. */
  readonly refused: bigint;
  /**
   * Of an undo: changes of the group that the change log no longer has, so that their plants are as
   * the group left them. Absent if there are none.
   */
  readonly expired?: bigint;
  /** The first 1,000 refused plants; none while `done` is false and the batch goes on. */
  readonly errors: readonly BatchError[];
}

/** Why a plant was refused. */
export interface BatchError {
  /** The id of the plant. */
  readonly id: bigint;
  /** Numeric error value, int32, as in Error. */
  readonly error: number;
  /** Error message text. */
  readonly message: string;
}

/**
 * `*`, or entity tags separated by commas, each as in an ETag header field, such as
 * `"Gm3kq0V1xZc7T2b9yJ4LwA"`.
 */
export type VersionList = string;

/** The events to send. */
export type WebhookEvents = readonly ('plant.created' | 'plant.replaced' | 'plant.deleted')[];

/**
 * Where to send the requests: an https URL with a public address, without white space, control and
 * invisible characters, backslashes, user name, password and fragment. It is kept in the form in
 * which it is called: other characters than those of ASCII are encoded. Redirects are not followed.
 */
export type WebhookUrl = string;

/** What a token allows. No scope includes another one. */
export type TokenScope = 'plants:read' | 'plants:write' | 'webhooks:manage' | 'tokens:manage';

/** A token to create. */
export interface NewToken {
  /**
   * A name to recognise the token by. It has no control characters, nor others that are invisible
   * or change the direction of text.
   */
  readonly name: string;
  /** Some of the scopes of the token that sends the request. */
  readonly scopes: readonly TokenScope[];
  /**
   * The lifetime in seconds, at most ten years. The token expires with the one that sends the
   * request, if that is earlier; it never expires if neither does.
   */
  readonly expiresIn?: number;
}

/** A token, without its secret. */
export interface Token {
  /** The id of the token; not a secret. */
  readonly id: string;
  /** The name of the token. */
  readonly name: string;
  /** What it allows; empty for a user of an OpenID provider, whose tokens say it. */
  readonly scopes: readonly TokenScope[];
  /** Whether it can be used. */
  readonly state: 'active' | 'expired' | 'revoked';
  /** When it was created. */
  readonly createdAt: string;
  /**
   * The id of the token or user that created it with `POST /tokens`; absent if the command line,
   * the first start or an OpenID provider did.
   */
  readonly createdBy?: string;
  /** When it expires; absent if it does not. */
  readonly expiresAt?: string;
  /** When it was revoked. */
  readonly revokedAt?: string;
  /** When it was last used, to the minute. */
  readonly lastUsedAt?: string;
}

/** The token of a request. */
export interface OwnToken {
  /** The id of the token; not a secret. */
  readonly id: string;
  /** The name of the token, or of the user of an OpenID provider. */
  readonly name: string;
  /** What it allows. */
  readonly scopes: readonly TokenScope[];
  /** When it expires; absent if it does not. */
  readonly expiresAt?: string;
}

/** A new token. */
export interface TokenWithSecret extends Token {
  /** What to send in the Authorization field; it is shown only now. */
  readonly token: string;
}

/** A webhook to create. */
export interface NewWebhook {
  readonly url: WebhookUrl;
  readonly events: WebhookEvents;
}

/** The members to update. Absent members are not changed. */
export interface WebhookPatch {
  readonly url?: WebhookUrl;
  readonly events?: WebhookEvents;
  /** Whether requests are sent. */
  readonly enabled?: boolean;
}

/** A webhook. */
export interface Webhook {
  /** The id of the webhook; the service chose it. */
  readonly id: string;
  readonly url: WebhookUrl;
  readonly events: WebhookEvents;
  /** Whether requests are sent. */
  readonly enabled: boolean;
  /** Why the service disabled the webhook. Absent if you disabled it. */
  readonly disabledReason?: string;
  /**
   * What you should know, such as up to where changes were skipped because the service does not
   * keep them any more. The next update of the webhook removes it.
   */
  readonly notice?: string;
  /** When the webhook was created. */
  readonly createdAt: string;
  /** The first failure since the last success. Absent if the last attempt succeeded. */
  readonly failingSince?: string;
  /**
   * The newest delivery. If its status is `waiting`, later changes wait for it. Absent if there is
   * none.
   */
  readonly lastDelivery?: Delivery;
  /**
   * The number of changes that wait to be delivered, that of a waiting delivery included; 100 means
   * 100 or more. Absent if they cannot be counted now.
   */
  readonly waiting?: number;
  /**
   * How many changes, of any kind, come after the last one that the webhook has dealt with. Those
   * that it does not want count for 10 seconds at most. Absent if that is not known now.
   */
  readonly behind?: number;
  /** When the oldest of these changes was made. Absent if there is none. */
  readonly behindSince?: string;
}

/** A webhook with its secret, which is shown only once. */
export interface WebhookWithSecret extends Webhook {
  /** The secret with which requests are signed, for a library of Standard Webhooks. */
  readonly secret: string;
}

/** What became of a test request. */
export interface WebhookTest {
  /** Whether the receiver responded with a status from 200 to 299. */
  readonly delivered: boolean;
  /** The status of the response. Absent if there was none. */
  readonly responseStatus?: number;
  /** Why it failed. */
  readonly error?: string;
}

/** One event for one webhook. */
export interface Delivery {
  /** The `webhook-id` of its requests, the same in each attempt. */
  readonly id: string;
  /** The event. */
  readonly event: 'plant.created' | 'plant.replaced' | 'plant.deleted';
  /** The id of the plant that was changed. */
  readonly plantId: bigint;
  /**
   * `delivered`: the receiver has acknowledged it. `waiting`: the last attempt failed, and there
   * will be another one. `failed`: all attempts failed, and the webhook went on without it.
   */
  readonly status: 'delivered' | 'waiting' | 'failed';
  /** The number of attempts. */
  readonly attempts: number;
  /** When the first attempt began. */
  readonly createdAt: string;
  /** When the last attempt ended. */
  readonly lastAttemptAt: string;
  /**
   * When the next attempt begins. Present while the status is `waiting` and the webhook is enabled.
   */
  readonly nextAttemptAt?: string;
  /** The status of the last response. Absent if there was none. */
  readonly responseStatus?: number;
  /** Why the last attempt failed. */
  readonly error?: string;
}

/** The body of a request for plant.replaced. */
export interface PlantReplaced {
  readonly type: 'plant.replaced';
  /** When the plant was changed. */
  readonly timestamp: string;
  readonly data: { readonly plant: StoredPlant; readonly before: StoredPlant };
}

/** The body of a request for plant.deleted. */
export interface PlantDeleted {
  readonly type: 'plant.deleted';
  /** When the plant was deleted. */
  readonly timestamp: string;
  readonly data: { readonly before: StoredPlant };
}

/** The body of a test request. */
export interface WebhookTestEvent {
  readonly type: 'webhook.test';
  /** When it was sent. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The body of every error response. */
export interface ErrorBody {
  /** Numeric error value, int32: the status x 100 + n. */
  readonly error: number;
  /** Error message text. */
  readonly message: string;
}

/** Service info and links, relative to the address of this response. */
export interface Root {
  /** The name of the service. */
  readonly name: string;
  /** The version of the description. */
  readonly version: string;
  /** What the service does, in one sentence. */
  readonly description: string;
  /**
   * Link to the documentation page, where you can try each operation. Links are relative to this
   * address.
   */
  readonly documentation: string;
  /** Link to the web interface for managing plants. */
  readonly console: string;
  /** Link to this description. */
  readonly openapi: string;
  /** Link to the description of `POST /plants` alone. */
  readonly sample: string;
}

/** An OpenAPI description, version 3.1. */
export interface Description {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly Readonly<Record<string, unknown>>[];
  readonly paths: Readonly<Record<string, unknown>>;
}

/** The process is alive. */
export interface Liveness {
  readonly status: 'live';
}

/** The service accepts requests. */
export interface Readiness {
  readonly status: 'ready';
}

/** Parameters of listPlants. */
export interface ListPlantsParameters {
  /**
   * Maximum number of plants per page. A page also ends after about 500,000 characters; the Link
   * header field says whether there are more.
   */
  readonly limit: number;
  /**
   * Where the page begins. Leave it out for the first page, then take it from the Link header field
   * of the previous page: no other value is valid, and the format may change at any time.
   */
  readonly cursor?: string;
  /** Only plants with exactly this tag; `tag=` is the empty tag. */
  readonly tag?: string;
  /** If true, only plants without a tag. */
  readonly untagged?: boolean;
  /**
   * Search words, separated by spaces, punctuation or the symbols of ASCII, such as + and =;
   * another symbol, such as ×, is a word of its own. A plant matches if each of the words begins a
   * word of its name, in any order, ignoring case, accents and other combining marks. Only the
   * first 32 words count, and the first 100 characters of each. In scripts without spaces between
   * words, such as Chinese, Japanese and Thai, a search finds any part of a word, by its first 8
   * characters. White space finds all plants; separators without a word find none.
   */
  readonly name?: string;
  /**
   * As `name`, but each search word of three or more characters may be anywhere in a word, and the
   * words of the tag count, too: `iciosa` finds Monstera deliciosa, and `succulent` finds the tag
   * Succulents. A shorter one begins a word of the name or the tag.
   */
  readonly search?: string;
  /** Lowest id first (`asc`), or highest id first (`desc`). */
  readonly order: 'asc' | 'desc';
  /**
   * Only plants with an id above this. With `order=asc` a list can begin at any id, with `below`
   * and `order=desc` it can end there, at the same cost.
   */
  readonly above?: bigint;
  /**
   * Only plants with an id below this. With `order=desc&limit=1`, that is the highest id of a
   * range: one more is the next free number.
   */
  readonly below?: bigint;
}

/** Parameters of getPlant. */
export interface GetPlantParameters {
  /**
   * Identification number of the plant: an int64 in digits, without leading zeros, with a minus
   * sign if it is negative. Anything else is refused with error 40012.
   */
  readonly id: bigint;
  /**
   * Apply the request only if the plant's current ETag is one of these; `*` is any. Weak entity
   * tags never match (RFC 9110, section 13.1.1).
   */
  readonly ifMatch?: '*' | readonly string[];
  /**
   * Apply the request only if the plant's current ETag is none of these; `*` means that the plant
   * must not exist (RFC 9110, section 13.1.2).
   */
  readonly ifNoneMatch?: '*' | readonly string[];
}

export type PutPlantParameters = GetPlantParameters;

export type PatchPlantParameters = GetPlantParameters;

export type DeletePlantParameters = GetPlantParameters;

/** Parameters of exportPlants. */
export interface ExportPlantsParameters {
  /** Only plants with exactly this tag; `tag=` is the empty tag. */
  readonly tag?: string;
  /** If true, only plants without a tag. */
  readonly untagged?: boolean;
  /**
   * Search words, separated by spaces, punctuation or the symbols of ASCII, such as + and =;
   * another symbol, such as ×, is a word of its own. A plant matches if each of the words begins a
   * word of its name, in any order, ignoring case, accents and other combining marks. Only the
   * first 32 words count, and the first 100 characters of each. In scripts without spaces between
   * words, such as Chinese, Japanese and Thai, a search finds any part of a word, by its first 8
   * characters. White space finds all plants; separators without a word find none.
   */
  readonly name?: string;
  /**
   * As `name`, but each search word of three or more characters may be anywhere in a word, and the
   * words of the tag count, too: `iciosa` finds Monstera deliciosa, and `succulent` finds the tag
   * Succulents. A shorter one begins a word of the name or the tag.
   */
  readonly search?: string;
  /**
   * If true, CSV begins with a byte order mark, without which Excel does not read it as UTF-8.
   * NDJSON never has one.
   */
  readonly byteOrderMark?: boolean;
}

/** Parameters of importPlants. */
export interface ImportPlantsParameters {
  /**
   * What to do with a row whose id exists with a different name or tag: `fail` refuses and reports
   * it (error 40901), `skip` keeps the stored plant, `replace` replaces it.
   */
  readonly onConflict: 'fail' | 'skip' | 'replace';
  /**
   * If true, validate only; nothing is saved. Each row is compared with the stored plants, not with
   * earlier rows of the request: if an id is there twice, the import may refuse, skip or replace
   * where the dry run says "created".
   */
  readonly dryRun?: boolean;
  /**
   * The group of the changes, by which they can be undone; a new one for each import. If absent,
   * they have none.
   */
  readonly group?: GroupId;
}

/** Parameters of listChanges. */
export interface ListChangesParameters {
  /** Only changes after this position; `now` means after the newest one. */
  readonly after?: string;
  /**
   * Maximum number of changes per page. A page also ends after about 500,000 characters; the Link
   * header field says whether there are more.
   */
  readonly limit: number;
  /**
   * Oldest first (`asc`), or newest first (`desc`): then `after` means older than, and the last
   * page has no link.
   */
  readonly order: 'asc' | 'desc';
  /** Seconds to wait for a change if there is none. */
  readonly wait: number;
  /**
   * Only changes of this plant. Repeat the parameter for several plants, at most 100: `id=7&id=8`.
   */
  readonly id?: readonly bigint[];
  /** Only changes of plants that have exactly this tag, or had it before the change. */
  readonly tag?: string;
  /** Only changes of this kind. */
  readonly kind?: 'created' | 'replaced' | 'deleted';
  /**
   * If true, only changes that are the newest of their plant: with `kind=deleted` those of the
   * plants that are still deleted.
   */
  readonly newest?: boolean;
  /**
   * Leaves out the changes of this group, which a batch or an import made. Repeat the parameter for
   * several groups, at most 20. The header field `Group-Plants` has the number of plants of each.
   */
  readonly exceptGroup?: readonly string[];
  /**
   * In a stream, only changes after this position, whatever `after` is; clients send the `id` of
   * the last event.
   */
  readonly lastEventID?: string;
}

/** Parameters of getHistory. */
export interface GetHistoryParameters {
  /**
   * Identification number of the plant: an int64 in digits, without leading zeros, with a minus
   * sign if it is negative. Anything else is refused with error 40012.
   */
  readonly id: bigint;
  /**
   * Maximum number of changes per page. A page also ends after about 500,000 characters; the Link
   * header field says whether there are more.
   */
  readonly limit: number;
  /**
   * Where the page begins. Leave it out for the first page, then take it from the Link header field
   * of the previous page: no other value is valid, and the format may change at any time.
   */
  readonly cursor?: string;
}

/** Parameters of listTags. */
export interface ListTagsParameters {
  /**
   * Maximum number of tags per page. A page also ends after about 500,000 characters; the Link
   * header field says whether there are more.
   */
  readonly limit: number;
  /**
   * Where the page begins. Leave it out for the first page, then take it from the Link header field
   * of the previous page: no other value is valid, and the format may change at any time.
   */
  readonly cursor?: string;
  /** Only tags that begin with exactly these characters. */
  readonly prefix?: string;
}

/** Parameters of getWebhook. */
export interface GetWebhookParameters {
  /** The id of the webhook. */
  readonly webhookId: string;
}

export type PatchWebhookParameters = GetWebhookParameters;

export type DeleteWebhookParameters = GetWebhookParameters;

export type RotateWebhookSecretParameters = GetWebhookParameters;

export type TestWebhookParameters = GetWebhookParameters;

/** Parameters of listDeliveries. */
export interface ListDeliveriesParameters {
  /** The id of the webhook. */
  readonly webhookId: string;
  /** Maximum number of deliveries. */
  readonly limit: number;
}

/** Parameters of retryDelivery. */
export interface RetryDeliveryParameters {
  /** The id of the webhook. */
  readonly webhookId: string;
  /** The id of the delivery. */
  readonly deliveryId: string;
}

/** Parameters of revokeToken. */
export interface RevokeTokenParameters {
  /** The id of the token. */
  readonly tokenId: string;
}

/** What each operation takes: its parameters, its body or the rows of its body, and whether it needs no token. */
export interface Operations {
  readonly createPlant: { readonly body: NewPlant };
  readonly listPlants: { readonly parameters: ListPlantsParameters };
  readonly getPlant: { readonly parameters: GetPlantParameters };
  readonly putPlant: { readonly parameters: PutPlantParameters; readonly body: Plant };
  readonly patchPlant: { readonly parameters: PatchPlantParameters; readonly body: PlantPatch };
  readonly deletePlant: { readonly parameters: DeletePlantParameters };
  readonly exportPlants: { readonly parameters: ExportPlantsParameters };
  readonly importPlants: { readonly parameters: ImportPlantsParameters; readonly row: NewPlant };
  readonly batchPlants: { readonly body: Batch };
  readonly listChanges: { readonly parameters: ListChangesParameters };
  readonly getHistory: { readonly parameters: GetHistoryParameters };
  readonly listTags: { readonly parameters: ListTagsParameters };
  readonly createWebhook: { readonly body: NewWebhook };
  readonly listWebhooks: object;
  readonly getWebhook: { readonly parameters: GetWebhookParameters };
  readonly patchWebhook: { readonly parameters: PatchWebhookParameters; readonly body: WebhookPatch };
  readonly deleteWebhook: { readonly parameters: DeleteWebhookParameters };
  readonly rotateWebhookSecret: { readonly parameters: RotateWebhookSecretParameters };
  readonly testWebhook: { readonly parameters: TestWebhookParameters };
  readonly listDeliveries: { readonly parameters: ListDeliveriesParameters };
  readonly retryDelivery: { readonly parameters: RetryDeliveryParameters };
  readonly createToken: { readonly body: NewToken };
  readonly listTokens: object;
  readonly getOwnToken: object;
  readonly revokeToken: { readonly parameters: RevokeTokenParameters };
  readonly getRoot: { readonly isPublic: true };
  readonly getDescriptionJson: { readonly isPublic: true };
  readonly getDescriptionYaml: { readonly isPublic: true };
  readonly getSampleJson: { readonly isPublic: true };
  readonly getSampleYaml: { readonly isPublic: true };
  readonly getLiveness: { readonly isPublic: true };
  readonly getReadiness: { readonly isPublic: true };
}
