#!/bin/bash
# Run by scripts/systemd.ts inside a booted systemd. /check has the two packages, and takes what was
# found: one line for each check, and the journal.
set -u
exec >/check/output 2>&1
unit=petstore@production.service
base=http://127.0.0.1:8080
env=/etc/petstore/production.env
first=$(echo /check/first/*.deb) second=$(echo /check/second/*.deb)
version_of() { dpkg-deb --field "$1" Version; }

check() { # name, command and its arguments
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "pass $name" >>/check/results
  else
    printf 'FAIL %s\n%s\n' "$name" "$output" | sed '2,$s/^/     /' >>/check/results
  fi
}
# Everything that is waited for is waited for at most this long.
within() { # seconds, command
  local until=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $until ] || { echo "still not: $*"; return 1; }
    sleep 0.1
  done
}
not() { ! "$@"; }
equal() { [ "$1" = "$2" ] || { echo "$1 is not $2"; return 1; }; }
property() { systemctl show --property="$1" --value "${2:-$unit}"; }
pid() { property MainPID; }
ready() { curl --silent --fail --output /dev/null --max-time 5 "${1:-$base}/readyz"; }
running() { within 30 ready && systemctl is-active --quiet "$unit"; }
status_of() { property ActiveState "$@"; }
journal() { journalctl --quiet --no-pager --output=cat --unit="${1:-$unit}"; }
call() { curl --silent --max-time 10 --header "Authorization: Bearer $key" "$@"; }
has_bella() { call "$base/v1/pets" | grep -q '"name":"Bella"'; }
apt() { DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes "$@"; }

# 1. Installed
check "the package installs" apt install "$first"
check "production is started and enabled" running
check "production is enabled at boot" equal "$(systemctl is-enabled $unit)" enabled
check "staging is not started" equal "$(status_of petstore@staging)" inactive
check "the state folder belongs to the instance alone" \
  equal "$(stat -c '%U %a' /var/lib/petstore/production)" "petstore-production 700"
check "settings can be read by root alone" \
  equal "$(stat -c '%U %a' /etc/petstore/*.env | sort -u)" "root 600"
check "the process is the instance's user" \
  equal "$(stat -c %U "/proc/$(pid)")" petstore-production
check "it has no capability" equal "$(awk '/CapEff/ {print $2}' "/proc/$(pid)/status")" 0000000000000000
check "systemd-analyze verify has nothing to say" \
  equal "$(systemd-analyze verify --man=no $unit 2>&1)" ""
systemd-analyze security --no-pager $unit | tail -1 >/check/security
check "the manual pages are there" test -s /usr/share/man/man1/petstore.1.gz -a -s /usr/share/man/man8/petstorectl.8.gz

# 2. The first key and the first call, as the guide has them, from a folder that only root may enter
cd /root
key=$(petstorectl production keys create --name first --json | sed -n 's/.*"key":"\([^"]*\)".*/\1/p')
check "petstorectl creates the first key" test -n "$key"
created() { call "$base/v1/pets" --header 'Content-Type: application/json' --data '{"name":"Bella","categoryId":3}'; }
check "the first call with it works" equal "$(created)" \
  '{"id":1,"name":"Bella","categoryId":3,"status":"available"}'
check "a refusal's exit code comes through petstorectl" equal "$(petstorectl production keys revoke nobody >/dev/null 2>&1; echo $?)" 1
check "petstorectl asks for root" equal "$(runuser -u nobody -- petstorectl production keys list 2>/dev/null; echo $?)" 1
check "petstorectl works in a terminal" \
  grep -q first <(timeout 30 script --quiet --command "petstorectl production keys list" /dev/null)
name='$HOME ${PATH} $$ 100%n'
petstorectl production keys create --name "$name" >/dev/null
check "petstorectl passes its arguments on as they are" \
  grep -qF "\"name\":\"$name\"" <(petstorectl production keys list --json)
petstorectl production pets export --format csv >/root/pets.csv
check "pets are exported to a file of root's" grep -q '^1,Bella,3,available' /root/pets.csv
check "a backup is made in the state folder" \
  petstorectl production backup /var/lib/petstore/production/before-upgrade.db
check "a link to the dashboard is made" \
  grep -q '/dashboard/#/welcome/' <(petstorectl production owners invite --operator)
check "staging's user cannot read production's data" \
  not runuser -u petstore-staging -- ls /var/lib/petstore/production
secrets() { journalctl --quiet --no-pager --output=cat | grep -E 'pet_(live|test)_[A-Za-z0-9]{8}|/welcome/'; }
check "no key and no link is in the journal" not secrets

# 3. A crash
before=$(pid)
[ "$before" -gt 1 ] && kill -KILL "$before"
restarted() { [ "$(property NRestarts)" = 1 ] && [ "$(pid)" != "$before" ] && ready; }
check "systemd restarts a killed service" within 30 restarted
check "its data is there" has_bella

# 4. A stop in the middle of a request
body='{"name":"Rex","categoryId":3}'
exec 3<>/dev/tcp/127.0.0.1/8080
printf 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' \
  "$key" "${#body}" "${body:0:9}" >&3
began() { journal | grep -q service.stop_started; }
systemctl stop --no-block $unit
check "a stop begins" within 10 began
printf '%s' "${body:9}" >&3
check "a request under way is answered" grep -q 'HTTP/1.1 201' <(timeout 10 head -n 1 <&3)
exec 3>&-
stopped() { [ "$(status_of)" = inactive ]; }
check "the service ends" within 20 stopped
check "by itself, with 0" equal "$(property Result) $(property ExecMainCode) $(property ExecMainStatus)" "success 1 0"
check "and says so last" grep -q service.stopped <(journal | tail -n 5)
killed() { journal | grep -E 'stop-sigterm. timed out|Killing process'; }
check "nothing had to be killed" not killed
systemctl start $unit
check "what was acknowledged is there after a start" within 30 eval "ready && call $base/v1/pets | grep -q Rex"

# 5. A reload
cp $env /root/production.env
before=$(pid)
echo PETSTORE_PROCESSES=2 >>$env
check "a reload succeeds" systemctl reload $unit
check "with the settings as they are now" within 10 eval '[ "$(pgrep --parent "$before" | wc -l)" = 2 ]'
check "the service keeps its pid" equal "$(pid)" "$before"
check "and answers" has_bella
echo PETSTORE_LOG=loud >>$env
check "a reload with a setting that is wrong fails" not systemctl reload $unit
check "and leaves the service as it was" equal "$(pid) $(pgrep --parent "$before" | wc -l)" "$before 2"
kill -KILL "$(pgrep --parent "$before" | head -n 1)"
check "a process of it that is killed is started again" within 10 eval '[ "$(pgrep --parent "$before" | wc -l)" = 2 ]'
check "without a restart of the service" equal "$(pid)" "$before"
cp /root/production.env $env
systemctl restart $unit
check "a stop of two processes is a clean one" within 30 eval "ready && ! journal | grep -q processes.killed"

# 6. Custom domains: ports 80 and 443 for a user without rights
cp $env /root/production.env
cat >>$env <<'SETTINGS'
PETSTORE_SITES_HOST=sites.example.com
PETSTORE_ACME_TERMS=agreed
PETSTORE_EDGE_HOST=127.0.0.1
SETTINGS
systemctl restart $unit
refused() { journal | grep -q CAP_NET_BIND_SERVICE; }
check "without the drop-in, the service says which right it lacks" within 20 refused
dropin=/etc/systemd/system/petstore@production.service.d
install -D -m 0644 /usr/share/doc/petstore/examples/petstore-edge.conf $dropin/edge.conf
systemctl daemon-reload
systemctl reset-failed $unit
systemctl restart $unit
check "with it, the service starts" running
listens() { (exec 4<>"/dev/tcp/127.0.0.1/$1"); }
check "port 80 answers" grep -q '^HTTP/' <(curl --silent --include --max-time 5 http://127.0.0.1/)
check "port 443 is open" listens 443
check "to a user without rights" equal "$(stat -c %U "/proc/$(pid)")" petstore-production
check "with that one capability" equal "$(awk '/CapEff/ {print $2}' "/proc/$(pid)/status")" 0000000000000400
systemd-analyze security --no-pager $unit | tail -1 >>/check/security
rm -r $dropin
cp /root/production.env $env
systemctl daemon-reload
systemctl restart $unit
check "the service is back to its own ports" running

# 7. HTTPS by the lines of the guide, with a name server and an authority on this machine
systemctl stop knot
echo 'nameserver 127.0.0.1' >/etc/resolv.conf
check "a name server and an authority start" bash /check/authority.sh /run/authority
cat >>$env <<'SETTINGS'
PETSTORE_ACME_DIRECTORY=https://127.0.0.1:14000/dir
PETSTORE_ACME_TRUST=/run/authority/api.pem
PETSTORE_DNS_PRIVATE=on
SETTINGS
export -f apt
cd /check/first
check "the lines of the guide run" bash -euc "$(cat /check/https-install.sh)"
cd /root
answers() { [ "$(CURL_CA_BUNDLE=/run/authority/root.pem bash /check/https-check.sh 2>/dev/null)" = "$(sed 's/.*# //' /check/https-check.sh)" ]; }
served() { within 60 answers || { journal | tail -n 20; return 1; }; }
check "https://api.example.com is served, with a certificate of the authority" served
check "the state of the certificate is as the guide says" \
  grep -q 'api.example.com .*live' <(petstorectl production domains list)
rm -r $dropin
cp /root/production.env $env
systemctl daemon-reload
systemctl restart $unit
check "the service is without a name again" running

# 8. Upgrade
echo '# kept' >>$env
systemctl enable --quiet --now petstore@staging
check "staging starts beside production" within 30 ready http://127.0.0.1:8081
before=$(pid)
check "a higher version installs over the first" apt install "$second"
check "the new version is there" equal "$(dpkg-query --show --showformat='${Version}' petstore)" "$(version_of "$second")"
changed() { [ "$(pid)" != "$before" ] && running; }
check "what ran was restarted" within 30 changed
check "staging too" within 30 ready http://127.0.0.1:8081
check "data is kept" has_bella
check "settings are kept" grep -q '# kept' $env
check "the same version installs again" apt install --reinstall "$second"
check "and runs" running
systemctl disable --quiet --now petstore@production
check "an upgrade" apt install --reinstall "$second"
check "leaves a stopped and disabled instance alone" equal "$(systemctl is-enabled $unit) $(status_of)" "disabled inactive"
systemctl enable --quiet --now petstore@production
check "which starts again when it is told to" running

# 9. Remove, install again, purge
check "the package can be removed" apt remove petstore
check "both instances are stopped" equal "$(status_of) $(status_of petstore@staging)" "inactive inactive"
check "the program is gone" not test -e /usr/bin/petstore
check "settings and data stay" test -s $env -a -s /var/lib/petstore/production/petstore.db
check "it installs again" apt install "$second"
check "and goes on with its data" within 30 eval "ready && has_bella"
check "the package can be purged" apt purge petstore
left() { find / -xdev -iname '*petstore*' -not -path '/check/*' -not -path '/proc/*'; }
check "no file is left" equal "$(left)" ""
check "no process is left" equal "$(pgrep -u petstore-production,petstore-staging -l)" ""
check "its users stay, without a way to log in" \
  equal "$(awk -F: '/^petstore-/ {print $1, $7}' /etc/passwd | sort)" "$(printf '%s\n' 'petstore-production /usr/sbin/nologin' 'petstore-staging /usr/sbin/nologin')"

journalctl --quiet --no-pager --output=json --unit='petstore@*' >/check/journal
echo done >/check/finished
