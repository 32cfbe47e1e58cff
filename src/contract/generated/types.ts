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
         * @description What went wrong, for programs. The list is closed within a version; each code has a page
         *     under `/docs/errors/`.
         * @example pet_not_found
         * @enum {string}
         */
        ErrorCode: "body_invalid" | "body_too_large" | "body_unreadable" | "cursor_invalid" | "insufficient_scope" | "internal" | "key_expired" | "key_invalid" | "key_missing" | "key_revoked" | "key_wrong_environment" | "media_type_unsupported" | "method_not_allowed" | "operation_removed" | "parameter_invalid" | "path_not_found" | "pet_not_found" | "store_unavailable";
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
    };
    responses: {
        /** @description A parameter has a value that is not allowed. Nothing was done. */
        ParameterRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
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
            };
        };
        /** @description The service failed. The fault is logged under the request id. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
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
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description How many animals to return at most. Decimal digits only.
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
         *     for the same `status` and `id`.
         */
        cursor: string;
        /** @description The identifier of the animal. Anything but a canonical int64 names no animal. */
        petId: bigint;
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
                 * @description How many animals to return at most. Decimal digits only.
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
                 *     for the same `status` and `id`.
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
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
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
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
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaTypeRefused"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
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
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["ParameterRefused"];
            401: components["responses"]["KeyRefused"];
            403: components["responses"]["ScopeRefused"];
            404: components["responses"]["PetNotFound"];
            410: components["responses"]["OperationRemoved"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
}
