"""What several pages have, or one page has much of: columns, paging, previews, shapes, states."""
