#!/bin/sh
# Creates weir's namespace, or sets its retention, and creates the search attributes that weir's workflows set. Running it
# again changes nothing.
#
# TEMPORAL_ADDRESS says which server; NAMESPACE and RETENTION what to create.
set -eu

: "${TEMPORAL_ADDRESS:?}" "${NAMESPACE:?}" "${RETENTION:?}"

# A server that accepts connections is not ready yet, and a new namespace takes seconds to be known everywhere.
eventually() {
	tries=30
	until "$@"; do
		tries=$((tries - 1))
		if [ "$tries" -eq 0 ]; then
			echo "gave up: $*" >&2
			exit 1
		fi
		sleep 2
	done
}

create_or_update() {
	if temporal operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1; then
		temporal operator namespace update --namespace "$NAMESPACE" --retention "$RETENTION"
	else
		temporal operator namespace create --namespace "$NAMESPACE" --retention "$RETENTION"
	fi
}

eventually temporal operator cluster health
eventually create_or_update
# The server leaves out the ones that exist.
eventually temporal operator search-attribute create --namespace "$NAMESPACE" \
	--name WeirCustomer --type Keyword \
	--name WeirSource --type Keyword \
	--name WeirReason --type Keyword
