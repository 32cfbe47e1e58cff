"""Says of each message on stdin, a line of JSON each, whether the published library accepts it."""
import json
import sys

from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

for line in sys.stdin:
    message = json.loads(line)
    try:
        Webhook(message["secret"]).verify(message["body"].encode(), message["headers"])
        print("accepted")
    except WebhookVerificationError:
        print("refused")
