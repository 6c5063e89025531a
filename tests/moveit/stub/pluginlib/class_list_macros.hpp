/* In place of pluginlib: a function that creates the plugin as its loader does. */
#ifndef STUB_PLUGINLIB_HPP
#define STUB_PLUGINLIB_HPP

#include <memory>

#define PLUGINLIB_EXPORT_CLASS(derived, base)  \
  std::unique_ptr<base> stub_create_plugin();  \
  std::unique_ptr<base> stub_create_plugin() { \
    return std::make_unique<derived>();        \
  }

#endif
