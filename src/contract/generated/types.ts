// Generated from openapi/petstore.yaml by `npm run contract`. Change the contract, not this.
export interface components {
    schemas: {
        /**
         * @description The availability of a pet.
         * @example available
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /**
         * @description A pet to create.
         * @example {
         *       "name": "Bella",
         *       "categoryId": 3,
         *       "status": "available"
         *     }
         */
        NewPet: {
            /**
             * @description The pet's name: 1 to 255 Unicode code points, not only white space, without U+0000.
             * @example Bella
             */
            name: string;
            /**
             * Format: int64
             * @description The category of the pet.
             * @example 3
             */
            categoryId: bigint;
            /**
             * @description The availability of the pet. Defaults to `available`.
             * @default available
             */
            status: components["schemas"]["PetStatus"];
        };
        /**
         * @description The members of a pet to change, at least one. They have the same constraints as on creation.
         * @example {
         *       "name": "Stella"
         *     }
         */
        PetPatch: {
            /**
             * Format: int64
             * @description May be present only as it is, because an identifier cannot be changed.
             * @example 1
             */
            id?: bigint;
            /**
             * @description The pet's name: 1 to 255 Unicode code points, not only white space, without U+0000.
             * @example Stella
             */
            name?: string;
            /**
             * Format: int64
             * @description The category of the pet.
             * @example 3
             */
            categoryId?: bigint;
            /**
             * @description The availability of the pet. `null` means the default, `available`.
             * @example sold
             */
            status?: components["schemas"]["PetStatus"] | null;
        };
        /**
         * @description A pet in the catalogue.
         * @example {
         *       "id": 1,
         *       "name": "Bella",
         *       "categoryId": 3,
         *       "status": "available"
         *     }
         */
        Pet: {
            /**
             * Format: int64
             * @description The identifier, assigned when the pet was created.
             * @example 1
             */
            id: bigint;
            /**
             * @description The pet's name.
             * @example Bella
             */
            name: string;
            /**
             * Format: int64
             * @description The category of the pet.
             * @example 3
             */
            categoryId: bigint;
            status: components["schemas"]["PetStatus"];
        };
        /**
         * @description Pets, in ascending order of their identifiers.
         * @example [
         *       {
         *         "id": 1,
         *         "name": "Bella",
         *         "categoryId": 3,
         *         "status": "available"
         *       }
         *     ]
         */
        Pets: components["schemas"]["Pet"][];
        /**
         * @description A category of pets.
         * @example {
         *       "id": 3,
         *       "name": "Dogs"
         *     }
         */
        Category: {
            /**
             * Format: int64
             * @description The identifier, used as `categoryId` by pets.
             * @example 3
             */
            id: bigint;
            /**
             * @description The category's name.
             * @example Dogs
             */
            name: string;
        };
        /**
         * @description A category to create.
         * @example {
         *       "id": 3,
         *       "name": "Dogs"
         *     }
         */
        CategoryToCreate: {
            /**
             * Format: int64
             * @description The identifier. Defaults to the number after the largest.
             * @example 3
             */
            id?: bigint;
            /**
             * @description The category's name: 1 to 255 Unicode code points, not only white space, without U+0000.
             * @example Dogs
             */
            name: string;
        };
        /**
         * @description The member of a category to change.
         * @example {
         *       "name": "Hounds"
         *     }
         */
        CategoryPatch: {
            /**
             * Format: int64
             * @description May be present only as it is, because an identifier cannot be changed.
             * @example 3
             */
            id?: bigint;
            /**
             * @description The category's name: 1 to 255 Unicode code points, not only white space, without U+0000.
             * @example Hounds
             */
            name: string;
        };
        /**
         * @description Categories, in ascending order of their identifiers.
         * @example [
         *       {
         *         "id": 3,
         *         "name": "Dogs"
         *       }
         *     ]
         */
        Categories: components["schemas"]["Category"][];
        /**
         * @description The status of an order.
         * @example placed
         * @enum {string}
         */
        OrderStatus: "placed" | "approved" | "delivered" | "cancelled";
        /**
         * @description An order to place.
         * @example {
         *       "petId": 1,
         *       "quantity": 1
         *     }
         */
        NewOrder: {
            /**
             * Format: int64
             * @description The identifier of the ordered pet.
             * @example 1
             */
            petId: bigint;
            /**
             * @description The quantity ordered. Defaults to 1.
             * @default 1
             * @example 1
             */
            quantity: number;
        };
        /**
         * @description An order for a pet.
         * @example {
         *       "id": 1,
         *       "petId": 1,
         *       "quantity": 1,
         *       "status": "placed",
         *       "placedAt": "2026-11-15T12:00:00.000Z"
         *     }
         */
        Order: {
            /**
             * Format: int64
             * @description The identifier, assigned when the order was placed.
             * @example 1
             */
            id: bigint;
            /**
             * Format: int64
             * @description The identifier of the ordered pet.
             * @example 1
             */
            petId: bigint;
            /**
             * @description The quantity ordered.
             * @example 1
             */
            quantity: number;
            status: components["schemas"]["OrderStatus"];
            /**
             * Format: date-time
             * @description When the order was placed, in UTC.
             * @example 2026-11-15T12:00:00.000Z
             */
            placedAt: string;
        };
        /**
         * @description Orders, in ascending order of their identifiers.
         * @example [
         *       {
         *         "id": 1,
         *         "petId": 1,
         *         "quantity": 1,
         *         "status": "placed",
         *         "placedAt": "2026-11-15T12:00:00.000Z"
         *       }
         *     ]
         */
        Orders: components["schemas"]["Order"][];
        /**
         * @description What happened.
         * @example pet.created
         * @enum {string}
         */
        EventType: "pet.created" | "pet.updated" | "pet.deleted" | "order.placed" | "order.approved" | "order.delivered" | "order.cancelled" | "key.created" | "key.rotated" | "key.revoked" | "key.expired" | "operation.sunset_approaching" | "project.created" | "project.updated" | "deployment.published" | "deployment.failed" | "domain.verified" | "domain.live" | "domain.degraded" | "domain.suspended" | "domain.removed" | "certificate.issued" | "certificate.renewed" | "certificate.renewal_failing" | "certificate.expiring" | "webhook.disabled";
        /**
         * @description Something that happened to a resource.
         * @example {
         *       "id": 7,
         *       "type": "pet.created",
         *       "timestamp": "2026-11-15T12:00:00.000Z",
         *       "resource": "pets/1",
         *       "data": {
         *         "id": 1,
         *         "name": "Bella",
         *         "categoryId": 3,
         *         "status": "available"
         *       }
         *     }
         */
        Event: {
            /**
             * Format: int64
             * @description The identifier. Later events have larger ones.
             * @example 7
             */
            id: bigint;
            /**
             * @description What happened. New types may be added, so ignore those that you do not know.
             * @example pet.created
             */
            type: string;
            /**
             * Format: date-time
             * @description When it happened, in UTC.
             * @example 2026-11-15T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description What it happened to, as the kind and the identifier.
             * @example pets/1
             */
            resource: string;
            /**
             * @description The resource after the change: a pet or an order as its own operations return it; for
             *     `pet.deleted`, the pet before it. `x-data` has the schema for each kind of type, which is
             *     what precedes the dot.
             * @example {
             *       "id": 1,
             *       "name": "Bella",
             *       "categoryId": 3,
             *       "status": "available"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
        };
        /**
         * @description Events, in the order in which they happened.
         * @example [
         *       {
         *         "id": 7,
         *         "type": "pet.created",
         *         "timestamp": "2026-11-15T12:00:00.000Z",
         *         "resource": "pets/1",
         *         "data": {
         *           "id": 1,
         *           "name": "Bella",
         *           "categoryId": 3,
         *           "status": "available"
         *         }
         *       }
         *     ]
         */
        Events: components["schemas"]["Event"][];
        /**
         * @description What went wrong, for programs. The list is closed within a version, and each code has a
         *     page under `/docs/errors/`.
         * @example pet_not_found
         * @enum {string}
         */
        ErrorCode: "body_invalid" | "body_too_large" | "body_unreadable" | "category_in_use" | "category_not_found" | "category_taken" | "cursor_invalid" | "events_expired" | "headers_too_large" | "idempotency_in_flight" | "idempotency_mismatch" | "insufficient_scope" | "internal" | "key_expired" | "key_invalid" | "key_missing" | "key_revoked" | "key_wrong_environment" | "media_type_unsupported" | "method_not_allowed" | "not_implemented" | "operation_removed" | "order_event_refused" | "order_not_found" | "overloaded" | "parameter_invalid" | "path_not_found" | "pet_not_available" | "pet_not_found" | "pet_reserved" | "precondition_failed" | "rate_limited" | "request_malformed" | "request_timeout" | "store_unavailable" | "target_too_long" | "version_not_supported";
        /**
         * @description The body of every error.
         * @example {
         *       "code": "pet_not_found",
         *       "message": "No pet has this id.",
         *       "status": 404
         *     }
         */
        Error: {
            code: components["schemas"]["ErrorCode"];
            /**
             * @description What went wrong, for people. The wording may change at any time.
             * @example No pet has this id.
             */
            message: string;
            /**
             * @description The HTTP status code of the response.
             * @example 404
             */
            status: number;
        };
        /**
         * @description The body of every error if `Accept` prefers `application/problem+json` (RFC 9457).
         * @example {
         *       "type": "http://localhost:8080/docs/errors/pet_not_found.md",
         *       "title": "Pet not found",
         *       "status": 404,
         *       "detail": "No pet has this id.",
         *       "code": "pet_not_found"
         *     }
         */
        Problem: {
            /**
             * Format: uri-reference
             * @description The URL of the documentation page of this code.
             * @example http://localhost:8080/docs/errors/pet_not_found.md
             */
            type: string;
            /**
             * @description The code in words.
             * @example Pet not found
             */
            title: string;
            /**
             * @description The HTTP status code of the response.
             * @example 404
             */
            status: number;
            /**
             * @description What went wrong, for people.
             * @example No pet has this id.
             */
            detail: string;
            code: components["schemas"]["ErrorCode"];
        };
    };
    responses: {
        /** @description A parameter has an invalid value. Nothing was changed. */
        ParameterRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body has missing members or invalid values. Nothing was stored. */
        BodyRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The API key is missing or not valid. */
        KeyRefused: {
            headers: {
                "WWW-Authenticate": components["headers"]["Challenge"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key lacks the scope that the operation requires. */
        ScopeRefused: {
            headers: {
                "WWW-Authenticate": components["headers"]["Challenge"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No pet has this identifier. */
        PetNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NotStored"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Nothing has changed. The response has no body and does not count against the quota. */
        NotModified: {
            headers: {
                "X-Request-Id": components["headers"]["GivenRequestId"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["CacheControl"];
                "Preference-Applied": components["headers"]["PreferenceApplied"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Nothing has changed. The response has no body and does not count against the quota. */
        ListNotModified: {
            headers: {
                "X-Request-Id": components["headers"]["GivenRequestId"];
                Link: components["headers"]["NextPage"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Total-Count": components["headers"]["TotalCount"];
                "Preference-Applied": components["headers"]["ListPreferenceApplied"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Nothing has changed. The response has no body and does not count against the quota. */
        NoNewEvents: {
            headers: {
                "X-Request-Id": components["headers"]["GivenRequestId"];
                Link: components["headers"]["NextEvents"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["CacheControl"];
                "Preference-Applied": components["headers"]["PreferenceApplied"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /**
         * @description Events that follow this cursor are no longer kept. Read the pets and orders again, then list
         *     events without a cursor.
         */
        EventsExpired: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NotStored"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No category has this identifier. */
        CategoryNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NotStored"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The name or the identifier is taken, or a request with the same Idempotency-Key is in progress. */
        CategoryTaken: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Seconds to wait before retrying. Present if a request with the same Idempotency-Key is in progress.
                 * @example 1
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A pet has the category, or a request with the same Idempotency-Key is in progress. */
        CategoryInUse: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Seconds to wait before retrying. Present if a request with the same Idempotency-Key is in progress.
                 * @example 1
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No order has this identifier. */
        OrderNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Cache-Control": components["headers"]["NotStored"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The pet is not available, or a request with the same Idempotency-Key is in progress. */
        PetTaken: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Seconds to wait before retrying. Present if a request with the same Idempotency-Key is in progress.
                 * @example 1
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An open order holds the pet, or a request with the same Idempotency-Key is in progress. */
        PetReserved: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Seconds to wait before retrying. Present if a request with the same Idempotency-Key is in progress.
                 * @example 1
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The pet has another `ETag` than `If-Match` names. Nothing was changed. */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not allowed in the order's current status, or a request with the same Idempotency-Key is in progress. */
        OrderEventRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Seconds to wait before retrying. Present if a request with the same Idempotency-Key is in progress.
                 * @example 1
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A request with the same Idempotency-Key is in progress. */
        IdempotencyInFlight: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Seconds to wait before retrying. Present if a request with the same Idempotency-Key is in progress.
                 * @example 1
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The Idempotency-Key was used for a different request. Nothing was changed. */
        IdempotencyMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key has exceeded its quota. Nothing was changed. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The operation was removed on its announced date. */
        OperationRemoved: {
            headers: {
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                "X-Request-Id": components["headers"]["RequestId"];
                Link: components["headers"]["DeprecationLinks"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body did not arrive in time. Nothing was stored. */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The message was rejected before it was processed as a request: it is not valid HTTP/1.1 or
         *     exceeds a protocol limit. The connection is closed.
         */
        RequestRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than 65,536 bytes. Nothing was stored. */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not `application/json`. Nothing was stored. */
        MediaTypeRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is neither `application/merge-patch+json` nor `application/json`. Nothing was stored. */
        PatchMediaTypeRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description The media types of a patch (RFC 5789).
                 * @example application/json, application/merge-patch+json
                 */
                "Accept-Patch": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service failed. The cause is logged under the request id. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The database cannot be reached or is full. No write was acknowledged. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description The maximum number of items to return, in decimal digits.
         * @example 20
         */
        limit: number;
        /**
         * @description Return only pets with this status. If omitted, pets of every status are returned.
         * @example available
         */
        status: components["schemas"]["PetStatus"];
        /**
         * @description Return only pets with these identifiers. Repeat the parameter for several: `?id=1&id=2`.
         *     Identifiers that do not exist are skipped.
         * @example [
         *       1,
         *       2
         *     ]
         */
        id: bigint[];
        /**
         * @description Return only pets of these categories. Repeat the parameter for several:
         *     `?categoryId=3&categoryId=4`. A category that no pet has matches nothing.
         * @example [
         *       3,
         *       4
         *     ]
         */
        categoryId: bigint[];
        /**
         * @description Return only pets whose name has, for each word given, a word that begins with it: `bel` and
         *     `purr sir` find `Bella` and `Sir Purr-a-lot`. Words are runs of letters and digits, without
         *     regard to case, accents and order. At least one word, and at most 10.
         * @example bel
         */
        name: string;
        /**
         * @description The start of the page, from the `Link` header of the previous page. It is valid only for
         *     the same list with the same filters.
         * @example AAAAAAAAABSg2Jc0nGqTzqVvT4c
         */
        cursor: string;
        /** @description The identifier of the pet. Anything but a canonical int64 is 404. */
        petId: bigint;
        /** @description The identifier of the category. Anything but a canonical int64 is 404. */
        categoryIdInPath: bigint;
        /**
         * @description Return only orders with this status. If omitted, orders of every status are returned.
         * @example placed
         */
        orderStatus: components["schemas"]["OrderStatus"];
        /**
         * @description Return only orders for this pet.
         * @example 1
         */
        orderedPetId: bigint;
        /** @description The identifier of the order. Anything but a canonical int64 is 404. */
        orderId: bigint;
        /**
         * @description Return only events of these types. Repeat the parameter for several:
         *     `?type=pet.created&type=pet.deleted`.
         * @example [
         *       "pet.created",
         *       "pet.deleted"
         *     ]
         */
        eventTypes: components["schemas"]["EventType"][];
        /**
         * @description Return only events of this resource, such as `pets/1` or `orders/1`.
         * @example pets/1
         */
        resource: string;
        /**
         * @description The `id` that the stream sent last, in decimal digits. Only for streams, which go on after it:
         *     browsers send it when they reconnect.
         * @example 7
         */
        lastEventId: string;
        /**
         * @description One or more `ETag` values of earlier responses, or `*`. If one of them matches, the response
         *     is 304 without a body.
         * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
         */
        ifNoneMatch: string;
        /**
         * @description One or more `ETag` values of the pet, or `*`. If none of them is its current one, the response
         *     is 412 and nothing is changed. The pet's `ETag` comes with getPet, with updatePet and with
         *     `GET /pets?id={petId}`.
         * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
         */
        ifMatch: string;
        /**
         * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
         *     with the same value, API key and request gets the first response again and has no further
         *     effect. With a different request it is 422. Rejected requests are not recorded.
         * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
         */
        idempotencyKey: string;
        /**
         * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
         *     `handling=lenient`, ignores them.
         * @example handling=lenient
         */
        prefer: string;
        /**
         * @description `count=exact` adds the number of all items that match, on every page, as `X-Total-Count`.
         *     Counting takes longer the more there are. `handling=strict` rejects unknown parameters with
         *     400 (RFC 7240). Both can be combined: `handling=strict, count=exact`.
         * @example count=exact
         */
        listPrefer: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The URL of the next page (RFC 8288). Absent on the last page.
         * @example <http://localhost:8080/v1/pets?limit=20&cursor=AAAAAAAAABSg2Jc0nGqTzqVvT4c>; rel="next"
         */
        NextPage: string;
        /**
         * @description The URL of the events that follow (RFC 8288), those that have not happened yet included.
         *     Absent if the list is empty because nothing follows.
         * @example <http://localhost:8080/v1/events?limit=20&cursor=AAAAAAAAABSg2Jc0nGqTzqVvT4c>; rel="next"
         */
        NextEvents: string;
        /**
         * @description Private caches must revalidate; shared caches must not store the response.
         * @example private, no-cache
         */
        CacheControl: "private, no-cache";
        /**
         * @description Caches must not store the response.
         * @example no-store
         */
        NotStored: "no-store";
        /**
         * @description A strong validator of this response (RFC 9110).
         * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
         */
        ETag: string;
        /**
         * @description Present if this is a replay of the first response to the same Idempotency-Key.
         * @example true
         */
        IdempotencyReplayed: "true";
        /**
         * @description The quota of the key: `q` requests in `w` seconds (IETF draft on RateLimit fields). Present
         *     if the operator has set a rate limit.
         * @example "default";q=600;w=60
         */
        RateLimitPolicy: string;
        /**
         * @description The remaining requests (`r`) and the seconds until the quota is full again (`t`).
         * @example "default";r=599;t=1
         */
        RateLimit: string;
        /**
         * @description Present if strict handling was requested and applied (RFC 7240).
         * @example handling=strict
         */
        PreferenceApplied: "handling=strict";
        /**
         * @description The preferences that were requested and applied (RFC 7240).
         * @example count=exact
         */
        ListPreferenceApplied: "handling=strict" | "count=exact" | "handling=strict, count=exact";
        /**
         * @description The number of all items that match the filters, on all pages. Present if `Prefer` asked for
         *     `count=exact`.
         * @example 1024
         */
        TotalCount: number;
        /**
         * @description When the operation was deprecated, as a Unix time (RFC 9745).
         * @example @1793491200
         */
        Deprecation: string;
        /**
         * @description When the operation will be removed (RFC 8594).
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description The notice (`rel="deprecation"` and `rel="sunset"`) and the replacement
         *     (`rel="successor-version"`).
         * @example <http://localhost:8080/docs/guide/deprecation.md>; rel="deprecation"; type="text/markdown", <http://localhost:8080/docs/guide/deprecation.md>; rel="sunset"; type="text/markdown", <http://localhost:8080/v1/pets?id=1>; rel="successor-version"
         */
        DeprecationLinks: string;
        /**
         * @description How to authenticate (RFC 6750). `error` is present only if a credential was sent.
         * @example Bearer realm="petstore", error="invalid_token"
         */
        Challenge: string;
        /**
         * @description Identifies this request in the service's log. Quote it in support requests.
         * @example 3f9c0a17-1z
         */
        RequestId: string;
        /**
         * @description The `X-Request-Id` of the request, if it had one.
         * @example 3f9c0a17-1z
         */
        GivenRequestId: string;
        /**
         * @description Seconds to wait before retrying.
         * @example 2
         */
        RetryAfter: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of items to return, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Return only pets with this status. If omitted, pets of every status are returned.
                 * @example available
                 */
                status?: components["parameters"]["status"];
                /**
                 * @description Return only pets with these identifiers. Repeat the parameter for several: `?id=1&id=2`.
                 *     Identifiers that do not exist are skipped.
                 * @example [
                 *       1,
                 *       2
                 *     ]
                 */
                id?: components["parameters"]["id"];
                /**
                 * @description Return only pets of these categories. Repeat the parameter for several:
                 *     `?categoryId=3&categoryId=4`. A category that no pet has matches nothing.
                 * @example [
                 *       3,
                 *       4
                 *     ]
                 */
                categoryId?: components["parameters"]["categoryId"];
                /**
                 * @description Return only pets whose name has, for each word given, a word that begins with it: `bel` and
                 *     `purr sir` find `Bella` and `Sir Purr-a-lot`. Words are runs of letters and digits, without
                 *     regard to case, accents and order. At least one word, and at most 10.
                 * @example bel
                 */
                name?: components["parameters"]["name"];
                /**
                 * @description The start of the page, from the `Link` header of the previous page. It is valid only for
                 *     the same list with the same filters.
                 * @example AAAAAAAAABSg2Jc0nGqTzqVvT4c
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description One or more `ETag` values of earlier responses, or `*`. If one of them matches, the response
                 *     is 304 without a body.
                 * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `count=exact` adds the number of all items that match, on every page, as `X-Total-Count`.
                 *     Counting takes longer the more there are. `handling=strict` rejects unknown parameters with
                 *     400 (RFC 7240). Both can be combined: `handling=strict, count=exact`.
                 * @example count=exact
                 */
                Prefer?: components["parameters"]["listPrefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pets on this page. */
            200: {
                headers: {
                    Link: components["headers"]["NextPage"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Total-Count": components["headers"]["TotalCount"];
                    "Preference-Applied": components["headers"]["ListPreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
                 *     with the same value, API key and request gets the first response again and has no further
                 *     effect. With a different request it is 422. Rejected requests are not recorded.
                 * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The pet to create, as at most 65,536 bytes of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The pet as stored. */
            201: {
                headers: {
                    /** @description The URL of the new pet. */
                    Location: string;
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["BodyRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInFlight"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaTypeRefused"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more `ETag` values of earlier responses, or `*`. If one of them matches, the response
                 *     is 304 without a body.
                 * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the pet. Anything but a canonical int64 is 404. */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet. */
            200: {
                headers: {
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["DeprecationLinks"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description The pet has not changed. The response has no body and does not count against the quota. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["GivenRequestId"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["DeprecationLinks"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            /** @description No pet has this identifier. */
            404: {
                headers: {
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["DeprecationLinks"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["NotStored"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: components["responses"]["OperationRemoved"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    deletePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more `ETag` values of the pet, or `*`. If none of them is its current one, the response
                 *     is 412 and nothing is changed. The pet's `ETag` comes with getPet, with updatePet and with
                 *     `GET /pets?id={petId}`.
                 * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
                /**
                 * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
                 *     with the same value, API key and request gets the first response again and has no further
                 *     effect. With a different request it is 422. Rejected requests are not recorded.
                 * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the pet. Anything but a canonical int64 is 404. */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet was deleted. The response has no body. */
            204: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            404: components["responses"]["PetNotFound"];
            409: components["responses"]["PetReserved"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    updatePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more `ETag` values of the pet, or `*`. If none of them is its current one, the response
                 *     is 412 and nothing is changed. The pet's `ETag` comes with getPet, with updatePet and with
                 *     `GET /pets?id={petId}`.
                 * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
                /**
                 * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
                 *     with the same value, API key and request gets the first response again and has no further
                 *     effect. With a different request it is 422. Rejected requests are not recorded.
                 * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the pet. Anything but a canonical int64 is 404. */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        /**
         * @description The members to change, as at most 65,536 bytes of JSON in UTF-8. Both media types mean the
         *     same.
         */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PetPatch"];
                "application/merge-patch+json": components["schemas"]["PetPatch"];
            };
        };
        responses: {
            /** @description The pet as stored. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["BodyRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            404: components["responses"]["PetNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["PetReserved"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["PatchMediaTypeRefused"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    listCategories: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of items to return, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description The start of the page, from the `Link` header of the previous page. It is valid only for
                 *     the same list with the same filters.
                 * @example AAAAAAAAABSg2Jc0nGqTzqVvT4c
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description One or more `ETag` values of earlier responses, or `*`. If one of them matches, the response
                 *     is 304 without a body.
                 * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `count=exact` adds the number of all items that match, on every page, as `X-Total-Count`.
                 *     Counting takes longer the more there are. `handling=strict` rejects unknown parameters with
                 *     400 (RFC 7240). Both can be combined: `handling=strict, count=exact`.
                 * @example count=exact
                 */
                Prefer?: components["parameters"]["listPrefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The categories on this page. */
            200: {
                headers: {
                    Link: components["headers"]["NextPage"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Total-Count": components["headers"]["TotalCount"];
                    "Preference-Applied": components["headers"]["ListPreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Categories"];
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    createCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
                 *     with the same value, API key and request gets the first response again and has no further
                 *     effect. With a different request it is 422. Rejected requests are not recorded.
                 * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The category to create, as at most 65,536 bytes of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CategoryToCreate"];
            };
        };
        responses: {
            /** @description The category as stored. */
            201: {
                headers: {
                    /** @description The URL of the new category, to rename or delete it. */
                    Location: string;
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Category"];
                };
            };
            400: components["responses"]["BodyRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["CategoryTaken"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaTypeRefused"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    deleteCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
                 *     with the same value, API key and request gets the first response again and has no further
                 *     effect. With a different request it is 422. Rejected requests are not recorded.
                 * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the category. Anything but a canonical int64 is 404. */
                categoryId: components["parameters"]["categoryIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The category was deleted. The response has no body. */
            204: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            404: components["responses"]["CategoryNotFound"];
            409: components["responses"]["CategoryInUse"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    updateCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
                 *     with the same value, API key and request gets the first response again and has no further
                 *     effect. With a different request it is 422. Rejected requests are not recorded.
                 * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the category. Anything but a canonical int64 is 404. */
                categoryId: components["parameters"]["categoryIdInPath"];
            };
            cookie?: never;
        };
        /** @description The new name, as at most 65,536 bytes of JSON in UTF-8. Both media types mean the same. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CategoryPatch"];
                "application/merge-patch+json": components["schemas"]["CategoryPatch"];
            };
        };
        responses: {
            /** @description The category as stored. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Category"];
                };
            };
            400: components["responses"]["BodyRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            404: components["responses"]["CategoryNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["CategoryTaken"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["PatchMediaTypeRefused"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of items to return, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Return only orders with this status. If omitted, orders of every status are returned.
                 * @example placed
                 */
                status?: components["parameters"]["orderStatus"];
                /**
                 * @description Return only orders for this pet.
                 * @example 1
                 */
                petId?: components["parameters"]["orderedPetId"];
                /**
                 * @description The start of the page, from the `Link` header of the previous page. It is valid only for
                 *     the same list with the same filters.
                 * @example AAAAAAAAABSg2Jc0nGqTzqVvT4c
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description One or more `ETag` values of earlier responses, or `*`. If one of them matches, the response
                 *     is 304 without a body.
                 * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `count=exact` adds the number of all items that match, on every page, as `X-Total-Count`.
                 *     Counting takes longer the more there are. `handling=strict` rejects unknown parameters with
                 *     400 (RFC 7240). Both can be combined: `handling=strict, count=exact`.
                 * @example count=exact
                 */
                Prefer?: components["parameters"]["listPrefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The orders on this page. */
            200: {
                headers: {
                    Link: components["headers"]["NextPage"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Total-Count": components["headers"]["TotalCount"];
                    "Preference-Applied": components["headers"]["ListPreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Orders"];
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    placeOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
                 *     with the same value, API key and request gets the first response again and has no further
                 *     effect. With a different request it is 422. Rejected requests are not recorded.
                 * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The order to place, as at most 65,536 bytes of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrder"];
            };
        };
        responses: {
            /** @description The order as stored. */
            201: {
                headers: {
                    /** @description The URL of the new order. */
                    Location: string;
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            400: components["responses"]["BodyRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["PetTaken"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaTypeRefused"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more `ETag` values of earlier responses, or `*`. If one of them matches, the response
                 *     is 304 without a body.
                 * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the order. Anything but a canonical int64 is 404. */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            404: components["responses"]["OrderNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    approveOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
                 *     with the same value, API key and request gets the first response again and has no further
                 *     effect. With a different request it is 422. Rejected requests are not recorded.
                 * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the order. Anything but a canonical int64 is 404. */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updated order. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            404: components["responses"]["OrderNotFound"];
            409: components["responses"]["OrderEventRefused"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    deliverOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
                 *     with the same value, API key and request gets the first response again and has no further
                 *     effect. With a different request it is 422. Rejected requests are not recorded.
                 * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the order. Anything but a canonical int64 is 404. */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updated order. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            404: components["responses"]["OrderNotFound"];
            409: components["responses"]["OrderEventRefused"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    cancelOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique value of 1 to 255 visible ASCII characters, such as a UUID. For 24 hours, a retry
                 *     with the same value, API key and request gets the first response again and has no further
                 *     effect. With a different request it is 422. Rejected requests are not recorded.
                 * @example 5f0c5d0e-6a53-4d3c-9f7e-2f1f6a1b7c11
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the order. Anything but a canonical int64 is 404. */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updated order. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            404: components["responses"]["OrderNotFound"];
            409: components["responses"]["OrderEventRefused"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of items to return, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Return only events of these types. Repeat the parameter for several:
                 *     `?type=pet.created&type=pet.deleted`.
                 * @example [
                 *       "pet.created",
                 *       "pet.deleted"
                 *     ]
                 */
                type?: components["parameters"]["eventTypes"];
                /**
                 * @description Return only events of this resource, such as `pets/1` or `orders/1`.
                 * @example pets/1
                 */
                resource?: components["parameters"]["resource"];
                /**
                 * @description The start of the page, from the `Link` header of the previous page. It is valid only for
                 *     the same list with the same filters.
                 * @example AAAAAAAAABSg2Jc0nGqTzqVvT4c
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description The `id` that the stream sent last, in decimal digits. Only for streams, which go on after it:
                 *     browsers send it when they reconnect.
                 * @example 7
                 */
                "Last-Event-ID"?: components["parameters"]["lastEventId"];
                /**
                 * @description One or more `ETag` values of earlier responses, or `*`. If one of them matches, the response
                 *     is 304 without a body.
                 * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `handling=strict` rejects unknown members and parameters with 400 (RFC 7240). The default,
                 *     `handling=lenient`, ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events on this page. */
            200: {
                headers: {
                    Link: components["headers"]["NextEvents"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Events"];
                    /**
                     * @example id: 7
                     *     event: pet.created
                     *     data: {"id":7,"type":"pet.created","timestamp":"2026-11-15T12:00:00.000Z","resource":"pets/1","data":{"id":1,"name":"Bella","categoryId":3,"status":"available"}}
                     */
                    "text/event-stream": string;
                };
            };
            304: components["responses"]["NoNewEvents"];
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            410: components["responses"]["EventsExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["RequestRefused"];
        };
    };
}
