#!/bin/sh
# Creates Temporal's two databases where they are missing, and brings them to the schema of this image's version. Running it
# again changes nothing.
#
# SQL_HOST, SQL_USER and SQL_PASSWORD say which PostgreSQL; SCHEMA where the schemas are. The tool reads the password from the
# environment by itself.
set -eu

: "${SQL_HOST:?}" "${SQL_USER:?}" "${SQL_PASSWORD:?}"
SCHEMA=${SCHEMA:-/etc/temporal/schema/postgresql/v12}

prepare() {
	database=$1
	versions=$2
	set -- --plugin postgres12_pgx --endpoint "$SQL_HOST" --port "${SQL_PORT:-5432}" --user "$SQL_USER" --database "$database"
	temporal-sql-tool "$@" create-database
	temporal-sql-tool "$@" setup-schema --version 0.0
	temporal-sql-tool "$@" update-schema --schema-dir "$versions"
}

prepare temporal "$SCHEMA/temporal/versioned"
prepare temporal_visibility "$SCHEMA/visibility/versioned"
