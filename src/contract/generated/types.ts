// Generated from openapi/petstore.yaml by `npm run contract`. Change the contract, not this.
export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List animals
         * @description Returns animals in the order of their identifiers, at most `limit` of them. While more
         *     follow, a `Link` header with `rel="next"` holds the address of the next page; the last
         *     page has none.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description Stores an animal and assigns its identifier. The answer leaves only after the animal is on
         *     disk. An identifier is never used twice.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an animal
         * @deprecated
         * @description Deprecated: goes away on 5 December 2030 and answers 410 from then on. Ask
         *     `GET /pets?id={petId}` instead, with `status` where the availability matters.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List categories
         * @description Returns the categories that the operator keeps, in the order of their identifiers. An animal
         *     may belong to a category that is not among them, unless the operator decides otherwise.
         */
        get: operations["listCategories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description Returns orders in the order of their identifiers, at most `limit` of them, with a `Link` to the
         *     next page while more follow.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Place an order
         * @description Orders an animal that is `available` and makes it `pending`, both at once or neither. Of two
         *     orders for one animal, the second gets 409.
         */
        post: operations["placeOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an order
         * @description Returns one order. Orders are kept for good.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve an order
         * @description Moves an order from `placed` to `approved`. From any other status it is refused with 409.
         */
        post: operations["approveOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}/deliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver an order
         * @description Moves an order from `approved` to `delivered` and its animal to `sold`, both at once or neither.
         *     From any other status it is refused with 409.
         */
        post: operations["deliverOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description The availability of an animal.
         * @example available
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /**
         * @description An animal to add.
         * @example {
         *       "name": "Bella",
         *       "categoryId": 3,
         *       "status": "available"
         *     }
         */
        NewPet: {
            /**
             * @description The animal's name: 1 to 255 Unicode code points, at least one of them not white space,
             *     and none of them U+0000.
             * @example Bella
             */
            name: string;
            /**
             * Format: int64
             * @description The category the animal belongs to.
             * @example 3
             */
            categoryId: bigint;
            /**
             * @description The availability of the animal. `available` when left out.
             * @default available
             */
            status: components["schemas"]["PetStatus"];
        };
        /**
         * @description An animal of the catalogue.
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
             * @description The identifier, assigned when the animal was added.
             * @example 1
             */
            id: bigint;
            /**
             * @description The animal's name.
             * @example Bella
             */
            name: string;
            /**
             * Format: int64
             * @description The category the animal belongs to.
             * @example 3
             */
            categoryId: bigint;
            status: components["schemas"]["PetStatus"];
        };
        /**
         * @description Animals, in the order of their identifiers.
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
         * @description A category of animals.
         * @example {
         *       "id": 3,
         *       "name": "Dogs"
         *     }
         */
        Category: {
            /**
             * Format: int64
             * @description The identifier, which animals refer to as `categoryId`.
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
         * @description Categories, in the order of their identifiers.
         * @example [
         *       {
         *         "id": 3,
         *         "name": "Dogs"
         *       }
         *     ]
         */
        Categories: components["schemas"]["Category"][];
        /**
         * @description How far an order is.
         * @example placed
         * @enum {string}
         */
        OrderStatus: "placed" | "approved" | "delivered";
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
             * @description The animal that is ordered.
             * @example 1
             */
            petId: bigint;
            /**
             * @description How many of it. 1 when left out.
             * @default 1
             * @example 1
             */
            quantity: number;
        };
        /**
         * @description An order for an animal.
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
             * @description The animal that is ordered.
             * @example 1
             */
            petId: bigint;
            /**
             * @description How many of it.
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
         * @description Orders, in the order of their identifiers.
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
         * @description What went wrong, for programs. The list is closed within a version; each code has a page
         *     under `/docs/errors/`.
         * @example pet_not_found
         * @enum {string}
         */
        ErrorCode: "body_invalid" | "body_too_large" | "body_unreadable" | "cursor_invalid" | "headers_too_large" | "idempotency_in_flight" | "idempotency_mismatch" | "insufficient_scope" | "internal" | "key_expired" | "key_invalid" | "key_missing" | "key_revoked" | "key_wrong_environment" | "media_type_unsupported" | "method_not_allowed" | "not_implemented" | "operation_removed" | "order_event_refused" | "order_not_found" | "overloaded" | "parameter_invalid" | "path_not_found" | "pet_not_available" | "pet_not_found" | "rate_limited" | "request_malformed" | "request_timeout" | "store_unavailable" | "target_too_long" | "version_not_supported";
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
             * @description What went wrong, for people. The wording may improve at any time.
             * @example No pet has this id.
             */
            message: string;
            /**
             * @description The HTTP status code, the same as on the response.
             * @example 404
             */
            status: number;
        };
        /**
         * @description The body of every error for a request that accepts `application/problem+json` (RFC 9457).
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
             * @description The address of the page on this code.
             * @example http://localhost:8080/docs/errors/pet_not_found.md
             */
            type: string;
            /**
             * @description The code in words.
             * @example Pet not found
             */
            title: string;
            /**
             * @description The HTTP status code, the same as on the response.
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
        /** @description A parameter has a value that is not allowed. Nothing was done. */
        ParameterRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body lacks required members or has invalid values. Nothing was stored. */
        BodyRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key is missing or not valid here. */
        KeyRefused: {
            headers: {
                "WWW-Authenticate": components["headers"]["Challenge"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key is valid but lacks the scope that the operation needs. */
        ScopeRefused: {
            headers: {
                "WWW-Authenticate": components["headers"]["Challenge"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No animal has this identifier. */
        PetNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description What you have is still what you would get. No body, and no quota used. */
        NotModified: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["CacheControl"];
                "Preference-Applied": components["headers"]["PreferenceApplied"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description No order has this identifier. */
        OrderNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The animal is not available, or the same attempt is under way. */
        PetTaken: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Seconds to wait before asking again. Present where the same attempt is under way.
                 * @example 1
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The order is past this step or not there yet, or the same attempt is under way. */
        OrderEventRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Seconds to wait before asking again. Present where the same attempt is under way.
                 * @example 1
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The same attempt is under way. */
        IdempotencyInFlight: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                /**
                 * @description Seconds to wait before asking again. Present where the same attempt is under way.
                 * @example 1
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The Idempotency-Key was used for another request. Nothing was done. */
        IdempotencyMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key has used up its quota. Nothing was done. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The operation was removed on the date it had announced. */
        OperationRemoved: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                Link: components["headers"]["DeprecationLinks"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body did not arrive in time. Nothing was stored. */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The message was refused before it was read as a request: it is not valid HTTP/1.1, or exceeds
         *     a limit of the protocol. The connection closes after it.
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
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is not `application/json`. Nothing was stored. */
        MediaTypeRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service failed. The fault is logged under the request id. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The store cannot be reached or is full. Nothing was acknowledged. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description How many items to return at most. Decimal digits only.
         * @example 20
         */
        limit: number;
        /**
         * @description Return only animals of this availability. All are returned without it.
         * @example available
         */
        status: components["schemas"]["PetStatus"];
        /**
         * @description Return only animals with these identifiers. Repeat the parameter for several:
         *     `?id=1&id=2`. An identifier that no animal has is left out of the answer.
         * @example [
         *       1,
         *       2
         *     ]
         */
        id: bigint[];
        /**
         * @description Where the page starts. Take it from the `Link` header of the page before; it holds only
         *     for the same listing with the same filters.
         */
        cursor: string;
        /** @description The identifier of the animal. Anything but a canonical int64 names no animal. */
        petId: bigint;
        /**
         * @description Return only orders of this status. All are returned without it.
         * @example placed
         */
        orderStatus: components["schemas"]["OrderStatus"];
        /** @description The identifier of the order. Anything but a canonical int64 names no order. */
        orderId: bigint;
        /**
         * @description The `ETag` of an earlier answer, or several, or `*`. If one of them still holds, the answer is
         *     304 without a body.
         */
        ifNoneMatch: string;
        /**
         * @description Any text of 1 to 255 visible ASCII characters that names this attempt; a UUID is a good one.
         *     Within 24 hours the same text, sent with the same API key and the same request, gets the first
         *     answer again and does nothing a second time. With another request it is refused with 422.
         *     Refused requests are not remembered.
         */
        idempotencyKey: string;
        /**
         * @description `handling=strict` refuses members and parameters that this document does not name, with
         *     400 (RFC 7240). The default is `handling=lenient`, which ignores them.
         * @example handling=lenient
         */
        prefer: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The address of the next page (RFC 8288). Absent on the last page.
         * @example <http://localhost:8080/v1/pets?limit=20&cursor=AAAAAAAAABSg2Jc0nGqTzqVvT4c>; rel="next"
         */
        NextPage: string;
        /**
         * @description Caches ask again each time, and shared caches store nothing.
         * @example private, no-cache
         */
        CacheControl: "private, no-cache";
        /**
         * @description Names this very answer (RFC 9110, strong).
         * @example "q1Yw7vJ2mKx0bHn4tR8sLc"
         */
        ETag: string;
        /**
         * @description Present when this is the first answer to the same Idempotency-Key, given again.
         * @example true
         */
        IdempotencyReplayed: "true";
        /**
         * @description How many requests (`q`) a key may make in how many seconds (`w`). Present where the operator
         *     limits them (the IETF draft on RateLimit fields).
         * @example "default";q=600;w=60
         */
        RateLimitPolicy: string;
        /**
         * @description How many requests are left (`r`) and in how many seconds the quota is whole again (`t`).
         * @example "default";r=599;t=1
         */
        RateLimit: string;
        /**
         * @description Says that strict handling was asked for and done (RFC 7240).
         * @example handling=strict
         */
        PreferenceApplied: "handling=strict";
        /**
         * @description Since when the operation is deprecated, as a Unix time (RFC 9745).
         * @example @1793491200
         */
        Deprecation: string;
        /**
         * @description When the operation goes away (RFC 8594).
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description The notice (`rel="deprecation"` and `rel="sunset"`) and what to call instead
         *     (`rel="successor-version"`).
         * @example <http://localhost:8080/docs/guide/deprecation.md>; rel="deprecation"; type="text/markdown", <http://localhost:8080/docs/guide/deprecation.md>; rel="sunset"; type="text/markdown", <http://localhost:8080/v1/pets?id=1>; rel="successor-version"
         */
        DeprecationLinks: string;
        /**
         * @description How to authenticate (RFC 6750). `error` is present only when a credential was sent.
         * @example Bearer realm="petstore", error="invalid_token"
         */
        Challenge: string;
        /**
         * @description Names this request in the service's log. Quote it when you ask for help.
         * @example 3f9c0a17-1z
         */
        RequestId: string;
        /**
         * @description Seconds to wait before asking again.
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
                 * @description How many items to return at most. Decimal digits only.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Return only animals of this availability. All are returned without it.
                 * @example available
                 */
                status?: components["parameters"]["status"];
                /**
                 * @description Return only animals with these identifiers. Repeat the parameter for several:
                 *     `?id=1&id=2`. An identifier that no animal has is left out of the answer.
                 * @example [
                 *       1,
                 *       2
                 *     ]
                 */
                id?: components["parameters"]["id"];
                /**
                 * @description Where the page starts. Take it from the `Link` header of the page before; it holds only
                 *     for the same listing with the same filters.
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description The `ETag` of an earlier answer, or several, or `*`. If one of them still holds, the answer is
                 *     304 without a body.
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `handling=strict` refuses members and parameters that this document does not name, with
                 *     400 (RFC 7240). The default is `handling=lenient`, which ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animals of this page. */
            200: {
                headers: {
                    Link: components["headers"]["NextPage"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
            304: components["responses"]["NotModified"];
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
                 * @description Any text of 1 to 255 visible ASCII characters that names this attempt; a UUID is a good one.
                 *     Within 24 hours the same text, sent with the same API key and the same request, gets the first
                 *     answer again and does nothing a second time. With another request it is refused with 422.
                 *     Refused requests are not remembered.
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` refuses members and parameters that this document does not name, with
                 *     400 (RFC 7240). The default is `handling=lenient`, which ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The animal to add, at most 65,536 bytes of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The animal as stored. */
            201: {
                headers: {
                    /** @description The address of the new animal. */
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
                 * @description The `ETag` of an earlier answer, or several, or `*`. If one of them still holds, the answer is
                 *     304 without a body.
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `handling=strict` refuses members and parameters that this document does not name, with
                 *     400 (RFC 7240). The default is `handling=lenient`, which ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the animal. Anything but a canonical int64 names no animal. */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal. */
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
            304: components["responses"]["NotModified"];
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            404: components["responses"]["PetNotFound"];
            410: components["responses"]["OperationRemoved"];
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
                 * @description How many items to return at most. Decimal digits only.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Where the page starts. Take it from the `Link` header of the page before; it holds only
                 *     for the same listing with the same filters.
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description The `ETag` of an earlier answer, or several, or `*`. If one of them still holds, the answer is
                 *     304 without a body.
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `handling=strict` refuses members and parameters that this document does not name, with
                 *     400 (RFC 7240). The default is `handling=lenient`, which ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The categories of this page. */
            200: {
                headers: {
                    Link: components["headers"]["NextPage"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Categories"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
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
                 * @description How many items to return at most. Decimal digits only.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Return only orders of this status. All are returned without it.
                 * @example placed
                 */
                status?: components["parameters"]["orderStatus"];
                /**
                 * @description Where the page starts. Take it from the `Link` header of the page before; it holds only
                 *     for the same listing with the same filters.
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description The `ETag` of an earlier answer, or several, or `*`. If one of them still holds, the answer is
                 *     304 without a body.
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `handling=strict` refuses members and parameters that this document does not name, with
                 *     400 (RFC 7240). The default is `handling=lenient`, which ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The orders of this page. */
            200: {
                headers: {
                    Link: components["headers"]["NextPage"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Orders"];
                };
            };
            304: components["responses"]["NotModified"];
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
                 * @description Any text of 1 to 255 visible ASCII characters that names this attempt; a UUID is a good one.
                 *     Within 24 hours the same text, sent with the same API key and the same request, gets the first
                 *     answer again and does nothing a second time. With another request it is refused with 422.
                 *     Refused requests are not remembered.
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` refuses members and parameters that this document does not name, with
                 *     400 (RFC 7240). The default is `handling=lenient`, which ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The order to place, at most 65,536 bytes of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrder"];
            };
        };
        responses: {
            /** @description The order as stored. */
            201: {
                headers: {
                    /** @description The address of the new order. */
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
                 * @description The `ETag` of an earlier answer, or several, or `*`. If one of them still holds, the answer is
                 *     304 without a body.
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /**
                 * @description `handling=strict` refuses members and parameters that this document does not name, with
                 *     400 (RFC 7240). The default is `handling=lenient`, which ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the order. Anything but a canonical int64 names no order. */
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
                 * @description Any text of 1 to 255 visible ASCII characters that names this attempt; a UUID is a good one.
                 *     Within 24 hours the same text, sent with the same API key and the same request, gets the first
                 *     answer again and does nothing a second time. With another request it is refused with 422.
                 *     Refused requests are not remembered.
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` refuses members and parameters that this document does not name, with
                 *     400 (RFC 7240). The default is `handling=lenient`, which ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the order. Anything but a canonical int64 names no order. */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order as it is now. */
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
                 * @description Any text of 1 to 255 visible ASCII characters that names this attempt; a UUID is a good one.
                 *     Within 24 hours the same text, sent with the same API key and the same request, gets the first
                 *     answer again and does nothing a second time. With another request it is refused with 422.
                 *     Refused requests are not remembered.
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
                /**
                 * @description `handling=strict` refuses members and parameters that this document does not name, with
                 *     400 (RFC 7240). The default is `handling=lenient`, which ignores them.
                 * @example handling=lenient
                 */
                Prefer?: components["parameters"]["prefer"];
            };
            path: {
                /** @description The identifier of the order. Anything but a canonical int64 names no order. */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order as it is now. */
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
}
