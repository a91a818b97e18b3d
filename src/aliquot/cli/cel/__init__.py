"""`aliquot cel`: expressions for DeviceClasses and claims, checked and tried on devices."""
