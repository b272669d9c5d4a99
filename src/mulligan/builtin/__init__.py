"""The plugins that come with mulligan, one stage each. They import `mulligan.plugin` like an outsider's."""
