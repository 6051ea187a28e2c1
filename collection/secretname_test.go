package collection

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesThatHoldSecrets(t *testing.T) {
	for _, name := range []string{
		"Authorization", "proxy-authorization", "Cookie", "X-Api-Key", "X-Auth-Key", "Private-Token", "Ocp-Apim-Subscription-Key",
		"api_key", "apiKey", "api.key", "access_token", "token", "client_secret", "X-Amz-Signature", "X-Amz-Credential", "PASSWORD",
	} {
		require.True(t, NamesSecret(name), name)
		require.True(t, HoldsSecret(name, "x"), name)
		require.True(t, LooksSecret(name), name)
	}
	for _, name := range []string{
		"Accept", "X-Requested-With", "max_tokens", "cookie_consent", "X-CSRF-Token", "X-Atlassian-Token", "pageToken", "Sort-Key", "key",
		"author", "tokenizer", "Signature-Input", "",
	} {
		require.False(t, NamesSecret(name), name)
	}
	require.True(t, LooksSecret("session_tokens"), "what is only hidden may be one too many")
	require.False(t, LooksSecret("monkey"))
}

func TestVagueNamesAreJudgedByTheirValues(t *testing.T) {
	for _, value := range []string{
		"AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "9f86d081884c7d659a2feaa0c55ad015", "5b1c7d52-3f0e-4e8a-9c61-2a7b90c1d3ef",
	} {
		require.True(t, HoldsSecret("key", value), value)
		require.True(t, HoldsSecret("appid", value), value)
		require.False(t, HoldsSecret("Idempotency-Key", value), value)
		require.False(t, HoldsSecret("etag", value), value)
	}
	for _, value := range []string{"price", "price-desc-2024-summer", "product-listing-2024-summer", "a1b2c3", "one key in 10 words of 20 letters", ""} {
		require.False(t, HoldsSecret("key", value), value)
	}
}
