// detail
