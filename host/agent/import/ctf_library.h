/* libbabeltrace2, which is loaded when the first CTF trace is read: few programs need it, and it would make the start of all
 * longer. */
#pragma once
#include "host/base/err.h"

#include <babeltrace2/babeltrace.h>

/* clang-format off */
#define TD_BT_FUNCTIONS(X) \
    X(bt_clock_snapshot_get_ns_from_origin) \
    X(bt_component_filter_borrow_input_port_by_index_const) \
    X(bt_component_filter_borrow_output_port_by_index_const) \
    X(bt_component_sink_borrow_input_port_by_index_const) \
    X(bt_component_source_borrow_output_port_by_index_const) \
    X(bt_component_source_get_output_port_count) \
    X(bt_current_thread_clear_error) \
    X(bt_current_thread_take_error) \
    X(bt_error_borrow_cause_by_index) \
    X(bt_error_cause_get_message) \
    X(bt_error_get_cause_count) \
    X(bt_error_release) \
    X(bt_event_borrow_class_const) \
    X(bt_event_borrow_common_context_field_const) \
    X(bt_event_borrow_packet_const) \
    X(bt_event_borrow_payload_field_const) \
    X(bt_event_borrow_specific_context_field_const) \
    X(bt_event_borrow_stream_const) \
    X(bt_event_class_borrow_stream_class_const) \
    X(bt_event_class_get_name) \
    X(bt_field_array_borrow_element_field_by_index_const) \
    X(bt_field_array_get_length) \
    X(bt_field_bit_array_get_value_as_integer) \
    X(bt_field_bool_get_value) \
    X(bt_field_borrow_class_const) \
    X(bt_field_class_integer_get_preferred_display_base) \
    X(bt_field_class_structure_borrow_member_by_index_const) \
    X(bt_field_class_structure_get_member_count) \
    X(bt_field_class_structure_member_get_name) \
    X(bt_field_enumeration_signed_get_mapping_labels) \
    X(bt_field_enumeration_unsigned_get_mapping_labels) \
    X(bt_field_get_class_type) \
    X(bt_field_integer_signed_get_value) \
    X(bt_field_integer_unsigned_get_value) \
    X(bt_field_option_borrow_field_const) \
    X(bt_field_real_double_precision_get_value) \
    X(bt_field_real_single_precision_get_value) \
    X(bt_field_string_get_value) \
    X(bt_field_structure_borrow_member_field_by_index_const) \
    X(bt_field_structure_borrow_member_field_by_name_const) \
    X(bt_field_variant_borrow_selected_option_field_const) \
    X(bt_graph_add_filter_component) \
    X(bt_graph_add_simple_sink_component) \
    X(bt_graph_add_source_component) \
    X(bt_graph_connect_ports) \
    X(bt_graph_create) \
    X(bt_graph_put_ref) \
    X(bt_graph_run_once) \
    X(bt_message_event_borrow_default_clock_snapshot_const) \
    X(bt_message_event_borrow_event_const) \
    X(bt_message_get_type) \
    X(bt_message_iterator_next) \
    X(bt_message_put_ref) \
    X(bt_message_stream_beginning_borrow_stream_const) \
    X(bt_packet_borrow_context_field_const) \
    X(bt_plugin_borrow_filter_component_class_by_name_const) \
    X(bt_plugin_borrow_source_component_class_by_name_const) \
    X(bt_plugin_find) \
    X(bt_plugin_put_ref) \
    X(bt_stream_borrow_class_const) \
    X(bt_stream_borrow_trace_const) \
    X(bt_stream_class_borrow_default_clock_class_const) \
    X(bt_stream_class_borrow_event_class_by_index_const) \
    X(bt_stream_class_get_event_class_count) \
    X(bt_stream_class_get_name) \
    X(bt_stream_get_id) \
    X(bt_trace_borrow_environment_entry_by_index_const) \
    X(bt_trace_get_environment_entry_count) \
    X(bt_value_array_append_string_element) \
    X(bt_value_get_type) \
    X(bt_value_integer_signed_get) \
    X(bt_value_map_create) \
    X(bt_value_map_insert_empty_array_entry) \
    X(bt_value_put_ref) \
    X(bt_value_string_get)
/* clang-format on */

struct td_bt_functions {
#define TD_X(name) __typeof__(name) *name;
    TD_BT_FUNCTIONS(TD_X)
#undef TD_X
};
extern struct td_bt_functions td_bt; /* since td_ctf_library_load() */

/* Not thread-safe. 0 or TD_E_NOTFOUND. */
int td_ctf_library_load(struct td_err *err);
