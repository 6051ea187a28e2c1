#!/bin/sh
# Creates weir's bucket where it is missing. Running it again changes nothing.
#
# ADMIN_ENDPOINT_URL, ADMIN_ACCESS_KEY_ID and ADMIN_SECRET_ACCESS_KEY say which gateway, and are read by its own tool; BUCKET says
# what to create.
set -eu

: "${ADMIN_ENDPOINT_URL:?}" "${ADMIN_ACCESS_KEY_ID:?}" "${ADMIN_SECRET_ACCESS_KEY:?}" "${BUCKET:?}"

if versitygw admin list-buckets | grep -q "^$BUCKET[[:space:]]"; then
	echo "bucket $BUCKET exists"
	exit 0
fi
versitygw admin create-bucket --owner "$ADMIN_ACCESS_KEY_ID" --bucket "$BUCKET"
echo "bucket $BUCKET created"
