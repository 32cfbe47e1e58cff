#!/bin/bash
# Starts knot as the name server of example.com, and pebble as the certificate authority, on
# 127.0.0.1 with the ports of the internet, for the lines of docs/guide/https.md. The folder that is
# named gets api.pem, to trust the authority's API by, and root.pem, which certificates lead to.
set -eu
folder=$1
mkdir -p "$folder/knot"
chmod 755 "$folder"
cd "$folder"

soa='@ 60 SOA ns.example.com. hostmaster.example.com. 1 3600 600 86400 60'
printf '%s\n' "$soa" '@ NS ns.example.com.' 'com. TXT "a top-level domain"' >root.zone
printf '%s\n' "$soa" '@ NS ns' 'ns A 127.0.0.1' 'api A 127.0.0.1' >example.zone
cat >knot.conf <<CONFIGURATION
server:
  rundir: "$folder/knot"
  listen: 127.0.0.1@53
database:
  storage: "$folder/knot"
log:
  - target: stderr
    any: notice
zone:
  - domain: .
    file: "$folder/root.zone"
  - domain: example.com
    file: "$folder/example.zone"
CONFIGURATION
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 2 \
  -subj /CN=authority -addext subjectAltName=IP:127.0.0.1 -keyout api.key -out api.pem 2>/dev/null
cat >pebble.json <<CONFIGURATION
{"pebble": {
  "listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000",
  "certificate": "$folder/api.pem", "privateKey": "$folder/api.key",
  "httpPort": 80, "tlsPort": 443, "ocspResponderURL": "", "externalAccountBindingRequired": false
}}
CONFIGURATION

setsid knotd -c knot.conf </dev/null >knot.log 2>&1 &
export PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0 PEBBLE_AUTHZREUSE=0
setsid pebble -config pebble.json -dnsserver 127.0.0.1:53 </dev/null >pebble.log 2>&1 &
for _ in $(seq 300); do
  if curl --silent --fail --cacert api.pem --output root.pem https://127.0.0.1:15000/roots/0 &&
    knotc -s "$folder/knot/knot.sock" zone-status example.com >/dev/null 2>&1; then exit 0; fi
  sleep 0.1
done
tail -n 20 knot.log pebble.log
exit 1
