"""What Schemathesis takes for a wrong refusal, and is none.

Its check `positive_data_acceptance` expects that a request is accepted if its schema allows it. A
schema cannot say what depends on the state of the service. Only these refusals are forgiven.
"""

import re

import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance

BEYOND_SCHEMA = re.compile(
    "|".join(
        [
            # The key of the contract's example is sent with many different requests.
            '"code":"idempotency_(mismatch|in_flight)"',
            # Only the service can make a cursor.
            '"code":"cursor_invalid"',
            # An ETag has to be the present one of the resource.
            '"code":"precondition_failed"',
            # The body refers to what does not exist, or changes an identifier.
            "must be the id of a (pet|category); no (pet|category) has -?[0-9]+",
            "id cannot be changed from -?[0-9]+ to -?[0-9]+",
            # A documented rule about letters of all scripts, which tools read no pattern for alike.
            "name must have at least one letter or digit, and at most [0-9]+ words",
        ]
    )
)


@schemathesis.check
def positive_data_acceptance_within_schema(ctx, response, case):
    if 400 <= response.status_code < 500 and BEYOND_SCHEMA.search(response.text):
        return None
    return positive_data_acceptance(ctx, response, case)
