/* Types of values. */
#include "daemon/config/config_value.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/number.h"
#include "core/when.h"

const char *st_config_allowed(const struct st_config_key *key, char *buf, size_t buf_bytes)
{
    const char *space = key->unit[0] != '\0' ? " " : "";
    switch (key->type) {
    case ST_CONFIG_INT:
        snprintf(buf, buf_bytes, "a whole number, %" PRId64 " .. %" PRId64 "%s%s", key->min, key->max, space,
                 key->unit);
        break;
    case ST_CONFIG_FLOAT:
        snprintf(buf, buf_bytes, "a number, %" PRId64 " .. %" PRId64 "%s%s", key->min, key->max, space,
                 key->unit);
        break;
    case ST_CONFIG_CHOICE: {
        int at = snprintf(buf, buf_bytes, "one of");
        for (const char *word = key->choices; at > 0 && (size_t)at < buf_bytes && *word != '\0';) {
            const size_t len = strcspn(word, " ");
            at += snprintf(buf + at, buf_bytes - (size_t)at, "%s \"%.*s\"", word == key->choices ? "" : ",",
                           (int)len, word);
            word += len;
            word += strspn(word, " ");
        }
        break;
    }
    case ST_CONFIG_TEXT:
        snprintf(buf, buf_bytes, "a text of at most %d bytes", ST_CONFIG_TEXT_BYTES - 1);
        break;
    case ST_CONFIG_PATH:
        snprintf(buf, buf_bytes, "\"\" or an absolute path of at most %d bytes", ST_CONFIG_TEXT_BYTES - 1);
        break;
    case ST_CONFIG_MODE:
        snprintf(buf, buf_bytes, "octal digits in quotes, \"0000\" .. \"0777\"");
        break;
    case ST_CONFIG_LISTEN:
        snprintf(buf, buf_bytes, "\"\" or an IP address and a port, such as \"127.0.0.1:9733\"");
        break;
    case ST_CONFIG_LIST:
        snprintf(buf, buf_bytes,
                 "a list such as ( { id = \"linux-hz\"; reason = \"old\"; until = \"2027-01-01\"; } )");
        break;
    }
    return buf;
}

int st_config_split_listen(const char *text, char *ret_address, size_t address_bytes, uint16_t *ret_port,
                           bool *ret_v6)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon == text)
        return -EINVAL;
    int64_t port;
    if (st_number_i64(colon + 1, 1, 65535, &port) != 0)
        return -EINVAL;
    const bool v6 = text[0] == '[';
    if (v6 && colon[-1] != ']')
        return -EINVAL;
    const char *first = v6 ? text + 1 : text;
    const size_t len = (size_t)(colon - first) - (v6 ? 1 : 0);
    char address[INET6_ADDRSTRLEN];
    if (len >= sizeof(address) || len >= address_bytes)
        return -EINVAL;
    memcpy(address, first, len);
    address[len] = '\0';
    unsigned char parsed[sizeof(struct in6_addr)];
    if (inet_pton(v6 ? AF_INET6 : AF_INET, address, parsed) != 1)
        return -EINVAL;
    memcpy(ret_address, address, len + 1);
    *ret_port = (uint16_t)port;
    *ret_v6 = v6;
    return 0;
}

static bool is_choice(const char *choices, const char *text)
{
    const size_t len = strlen(text);
    for (const char *word = choices; *word != '\0';) {
        const size_t word_len = strcspn(word, " ");
        if (word_len == len && memcmp(word, text, len) == 0)
            return true;
        word += word_len;
        word += strspn(word, " ");
    }
    return false;
}

bool st_config_value_store_text(const struct st_config_key *key, const char *text, void *member)
{
    if (key->type == ST_CONFIG_MODE) {
        char *end;
        const unsigned long mode = strtoul(text, &end, 8);
        if (text[0] < '0' || text[0] > '7' || *end != '\0' || mode > (unsigned long)key->max)
            return false;
        *(int64_t *)member = (int64_t)mode;
        return true;
    }
    char address[INET6_ADDRSTRLEN];
    uint16_t port;
    bool v6;
    if (strlen(text) >= ST_CONFIG_TEXT_BYTES)
        return false;
    if (key->type == ST_CONFIG_CHOICE && !is_choice(key->choices, text))
        return false;
    if (key->type == ST_CONFIG_PATH && text[0] != '\0' && text[0] != '/')
        return false;
    if (key->type == ST_CONFIG_LISTEN && text[0] != '\0' &&
        st_config_split_listen(text, address, sizeof(address), &port, &v6) != 0)
        return false;
    memset(member, 0, ST_CONFIG_TEXT_BYTES); /* so that two configurations can be compared byte by byte */
    memcpy(member, text, strlen(text));
    return true;
}

/** { id = "..."; reason = "..."; until = "2027-01-01"; }, as cli/report/mutes.c reads it. */
static bool is_mute(const config_setting_t *group)
{
    bool has_id = false;
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *member = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(member), *text = config_setting_get_string(member);
        if (name == NULL || text == NULL)
            return false;
        const bool is_id = strcmp(name, "id") == 0, is_until = strcmp(name, "until") == 0;
        if ((!is_id && !is_until && strcmp(name, "reason") != 0) || (is_until && !st_when_is_day(text)))
            return false;
        has_id = has_id || is_id;
    }
    return has_id;
}

/** Mutes, or ids alone. Whether there is such a rule, who uses them says. */
static bool is_list_of_mutes(const config_setting_t *setting)
{
    if (!config_setting_is_list(setting) && !config_setting_is_array(setting))
        return false;
    for (int i = 0; i < config_setting_length(setting); i++) {
        const config_setting_t *element = config_setting_get_elem(setting, (unsigned)i);
        if (config_setting_is_group(element) ? !is_mute(element)
                                             : config_setting_type(element) != CONFIG_TYPE_STRING)
            return false;
    }
    return true;
}

bool st_config_value_store(const struct st_config_key *key, const config_setting_t *setting,
                           struct st_config *config)
{
    void *member = (char *)config + key->offset;
    const int type = config_setting_type(setting);
    const bool whole = type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
    if (key->type == ST_CONFIG_LIST)
        return is_list_of_mutes(setting);
    if (key->type == ST_CONFIG_INT) {
        const int64_t value = config_setting_get_int64(setting);
        if (!whole || value < key->min || value > key->max)
            return false;
        *(int64_t *)member = value;
        return true;
    }
    if (key->type == ST_CONFIG_FLOAT) {
        const double value =
            whole ? (double)config_setting_get_int64(setting) : config_setting_get_float(setting);
        if ((!whole && type != CONFIG_TYPE_FLOAT) ||
            !(value >= (double)key->min && value <= (double)key->max))
            return false;
        *(double *)member = value;
        return true;
    }
    return type == CONFIG_TYPE_STRING &&
           st_config_value_store_text(key, config_setting_get_string(setting), member);
}
